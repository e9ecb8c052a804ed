class step(torch.nn.Module):
    def forward(self, weight_1: "f32[16, 32][32, 1]cpu", x_1: "f32[8, 32][32, 1]cpu", table_1: "f32[100, 16][16, 1]cpu"):
        # No stacktrace found for following nodes
        _to_copy: "bf16[16, 32][32, 1]cpu" = torch.ops.aten._to_copy.default(weight_1, dtype = torch.bfloat16);  weight_1 = None
        all_gather_into_tensor: "bf16[64, 32][32, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(_to_copy, 4, '0');  _to_copy = None
        wait_tensor: "bf16[64, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor);  all_gather_into_tensor = None
        _to_copy_1: "bf16[8, 32][32, 1]cpu" = torch.ops.aten._to_copy.default(x_1, dtype = torch.bfloat16)
        t: "bf16[32, 64][1, 32]cpu" = torch.ops.aten.t.default(wait_tensor);  wait_tensor = None
        mm: "bf16[8, 64][64, 1]cpu" = torch.ops.aten.mm.default(_to_copy_1, t);  _to_copy_1 = t = None
        silu: "bf16[8, 64][64, 1]cpu" = torch.ops.aten.silu.default(mm);  mm = None
        split = torch.ops.aten.split.Tensor(silu, 32, 1);  silu = None
        getitem: "bf16[8, 32][64, 1]cpu" = split[0]
        getitem_1: "bf16[8, 32][64, 1]cpu" = split[1];  split = None
        gt: "b8[8, 32][32, 1]cpu" = torch.ops.aten.gt.Scalar(getitem, 0)
        full: "bf16[][]cpu" = torch.ops.aten.full.default([], -inf, dtype = torch.bfloat16, device = device(type='cpu'), pin_memory = False)
        where: "bf16[8, 32][32, 1]cpu" = torch.ops.aten.where.self(gt, getitem, full);  gt = getitem = full = None
        _to_copy_2: "f32[8, 32][32, 1]cpu" = torch.ops.aten._to_copy.default(getitem_1, dtype = torch.float32);  getitem_1 = None
        mean: "f32[8, 1][1, 1]cpu" = torch.ops.aten.mean.dim(_to_copy_2, [-1], True);  _to_copy_2 = None
        _to_copy_3: "bf16[8, 1][1, 1]cpu" = torch.ops.aten._to_copy.default(mean, dtype = torch.bfloat16);  mean = None
        add: "bf16[8, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(where, _to_copy_3);  where = _to_copy_3 = None
        _to_copy_4: "f32[8, 32][32, 1]cpu" = torch.ops.aten._to_copy.default(add, dtype = torch.float32);  add = None
        _softmax: "f32[8, 32][32, 1]cpu" = torch.ops.aten._softmax.default(_to_copy_4, -1, False);  _to_copy_4 = None
        _to_copy_5: "bf16[8, 32][32, 1]cpu" = torch.ops.aten._to_copy.default(_softmax, dtype = torch.bfloat16);  _softmax = None
        arange: "i64[8][1]cpu" = torch.ops.aten.arange.default(8, device = device(type='cpu'), pin_memory = False)
        embedding: "f32[8, 16][16, 1]cpu" = torch.ops.aten.embedding.default(table_1, arange);  table_1 = arange = None
        t_1: "bf16[32, 8][1, 32]cpu" = torch.ops.aten.t.default(_to_copy_5)
        _to_copy_6: "bf16[8, 32][32, 1]cpu" = torch.ops.aten._to_copy.default(x_1, dtype = torch.bfloat16);  x_1 = None
        mm_1: "bf16[32, 32][32, 1]cpu" = torch.ops.aten.mm.default(t_1, _to_copy_6);  t_1 = _to_copy_6 = None
        reduce_scatter_tensor: "bf16[8, 32][32, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(mm_1, 'avg', 4, '0');  mm_1 = None
        wait_tensor_1: "bf16[8, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor);  reduce_scatter_tensor = None
        cat: "bf16[16, 32][32, 1]cpu" = torch.ops.aten.cat.default([wait_tensor_1, wait_tensor_1])
        view: "bf16[2, 256][256, 1]cpu" = torch.ops.aten.view.default(cat, [2, -1]);  cat = None
        permute: "bf16[256, 2][1, 256]cpu" = torch.ops.aten.permute.default(view, [1, 0]);  view = None
        slice_1: "bf16[2, 2][2, 256]cpu" = torch.ops.aten.slice.Tensor(permute, 0, 1, 5, 2);  permute = None
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(embedding);  embedding = None
        topk = torch.ops.aten.topk.default(_to_copy_5, 3);  _to_copy_5 = None
        getitem_2: "bf16[8, 3][3, 1]cpu" = topk[0]
        getitem_3: "i64[8, 3][3, 1]cpu" = topk[1];  topk = None
        return (wait_tensor_1, slice_1, sum_1, (getitem_2, getitem_3))
