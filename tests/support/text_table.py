"""Tables in text, as tests print them."""


def text_table(header, rows):
    """Rows under a header: names to the left, figures to the right."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in line] for line in [header, *rows]]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    return "\n".join("  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in cells)
