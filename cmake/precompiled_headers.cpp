// Nothing: the target of precompiled headers needs a source.
