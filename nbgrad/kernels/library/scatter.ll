; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @scatter_add_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr float, ptr %v14, i64 %v28
  %v30 = load float, ptr %v29, align 4
  %v31 = getelementptr float, ptr %v7, i64 %v32
  %v33 = load float, ptr %v31, align 4
  %v34 = fadd float %v30, %v33
  store float %v34, ptr %v31, align 4
  %v35 = icmp eq i64 %v27, %v20
  br i1 %v35, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v36 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v36, align 8
  %v37 = icmp sgt i64 %v32, -1
  %v38 = icmp slt i64 %v32, %v9
  %v39 = select i1 %v37, i1 %v38, i1 false
  br i1 %v39, label %v26, label %v22
v22:
  %v40 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v40
}

define i32 @scatter_product_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr float, ptr %v14, i64 %v28
  %v30 = load float, ptr %v29, align 4
  %v31 = getelementptr float, ptr %v7, i64 %v32
  %v33 = load float, ptr %v31, align 4
  %v34 = fmul float %v30, %v33
  store float %v34, ptr %v31, align 4
  %v35 = icmp eq i64 %v27, %v20
  br i1 %v35, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v36 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v36, align 8
  %v37 = icmp sgt i64 %v32, -1
  %v38 = icmp slt i64 %v32, %v9
  %v39 = select i1 %v37, i1 %v38, i1 false
  br i1 %v39, label %v26, label %v22
v22:
  %v40 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v40
}

define i32 @scatter_put_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr float, ptr %v14, i64 %v28
  %v30 = load float, ptr %v29, align 4
  %v31 = getelementptr float, ptr %v7, i64 %v32
  store float %v30, ptr %v31, align 4
  %v33 = icmp eq i64 %v27, %v20
  br i1 %v33, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v34 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v34, align 8
  %v35 = icmp sgt i64 %v32, -1
  %v36 = icmp slt i64 %v32, %v9
  %v37 = select i1 %v35, i1 %v36, i1 false
  br i1 %v37, label %v26, label %v22
v22:
  %v38 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v38
}

define i32 @scatter_recurrence_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr i8, ptr %v4, i64 56
  %v16 = load i64, ptr %v15, align 8
  %v17 = inttoptr i64 %v16 to ptr
  %v18 = getelementptr i8, ptr %v4, i64 64
  %v19 = load i64, ptr %v18, align 8
  %v20 = inttoptr i64 %v19 to ptr
  %v21 = icmp slt i64 %v1, %v2
  br i1 %v21, label %v22, label %v23
v22:
  %v24 = load i64, ptr %v4, align 8
  %v25 = call i64 @llvm.smax.i64(i64 %v24, i64 0)
  br label %v23
v23:
  %v26 = phi i64 [ %v25, %v22 ], [ 0, %v3 ]
  %v27 = icmp eq i64 %v26, 0
  br i1 %v27, label %v28, label %v29
v29:
  %v30 = inttoptr i64 %v11 to ptr
  br label %v31
v32:
  %v33 = add nuw nsw i64 %v34, 1
  %v35 = getelementptr float, ptr %v7, i64 %v36
  %v37 = load float, ptr %v35, align 4
  %v38 = getelementptr float, ptr %v20, i64 %v34
  store float %v37, ptr %v38, align 4
  %v39 = load float, ptr %v35, align 4
  %v40 = getelementptr float, ptr %v14, i64 %v34
  %v41 = load float, ptr %v40, align 4
  %v42 = fmul float %v39, %v41
  %v43 = getelementptr float, ptr %v17, i64 %v34
  %v44 = load float, ptr %v43, align 4
  %v45 = fadd float %v42, %v44
  store float %v45, ptr %v35, align 4
  %v46 = icmp eq i64 %v33, %v26
  br i1 %v46, label %v28, label %v31
v31:
  %v34 = phi i64 [ 0, %v29 ], [ %v33, %v32 ]
  %v47 = getelementptr i64, ptr %v30, i64 %v34
  %v36 = load i64, ptr %v47, align 8
  %v48 = icmp sgt i64 %v36, -1
  %v49 = icmp slt i64 %v36, %v9
  %v50 = select i1 %v48, i1 %v49, i1 false
  br i1 %v50, label %v32, label %v28
v28:
  %v51 = phi i32 [ 0, %v23 ], [ 2, %v31 ], [ 0, %v32 ]
  ret i32 %v51
}

define i32 @scatter_max_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr float, ptr %v14, i64 %v28
  %v30 = load float, ptr %v29, align 4
  %v31 = getelementptr float, ptr %v7, i64 %v32
  %v33 = load float, ptr %v31, align 4
  %v34 = fcmp ogt float %v30, %v33
  %v35 = fcmp uno float %v30, 0.000000e+00
  %v36 = or i1 %v35, %v34
  %v37 = select i1 %v36, float %v30, float %v33
  store float %v37, ptr %v31, align 4
  %v38 = icmp eq i64 %v27, %v20
  br i1 %v38, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v39 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v39, align 8
  %v40 = icmp sgt i64 %v32, -1
  %v41 = icmp slt i64 %v32, %v9
  %v42 = select i1 %v40, i1 %v41, i1 false
  br i1 %v42, label %v26, label %v22
v22:
  %v43 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v43
}

define i32 @scatter_max_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr double, ptr %v14, i64 %v28
  %v30 = load double, ptr %v29, align 8
  %v31 = getelementptr double, ptr %v7, i64 %v32
  %v33 = load double, ptr %v31, align 8
  %v34 = fcmp ogt double %v30, %v33
  %v35 = fcmp uno double %v30, 0.000000e+00
  %v36 = or i1 %v35, %v34
  %v37 = select i1 %v36, double %v30, double %v33
  store double %v37, ptr %v31, align 8
  %v38 = icmp eq i64 %v27, %v20
  br i1 %v38, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v39 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v39, align 8
  %v40 = icmp sgt i64 %v32, -1
  %v41 = icmp slt i64 %v32, %v9
  %v42 = select i1 %v40, i1 %v41, i1 false
  br i1 %v42, label %v26, label %v22
v22:
  %v43 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v43
}

define i32 @scatter_max_int32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr i32, ptr %v14, i64 %v28
  %v30 = load i32, ptr %v29, align 4
  %v31 = getelementptr i32, ptr %v7, i64 %v32
  %v33 = load i32, ptr %v31, align 4
  %v34 = call i32 @llvm.smax.i32(i32 %v30, i32 %v33)
  store i32 %v34, ptr %v31, align 4
  %v35 = icmp eq i64 %v27, %v20
  br i1 %v35, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v36 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v36, align 8
  %v37 = icmp sgt i64 %v32, -1
  %v38 = icmp slt i64 %v32, %v9
  %v39 = select i1 %v37, i1 %v38, i1 false
  br i1 %v39, label %v26, label %v22
v22:
  %v40 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v40
}

define i32 @scatter_max_int64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i8, ptr %v4, i64 16
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i8, ptr %v4, i64 24
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i8, ptr %v4, i64 40
  %v12 = load i64, ptr %v11, align 8
  %v13 = icmp slt i64 %v1, %v2
  br i1 %v13, label %v14, label %v15
v14:
  %v16 = load i64, ptr %v4, align 8
  %v17 = call i64 @llvm.smax.i64(i64 %v16, i64 0)
  br label %v15
v15:
  %v18 = phi i64 [ %v17, %v14 ], [ 0, %v3 ]
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v21:
  %v22 = inttoptr i64 %v10 to ptr
  %v23 = inttoptr i64 %v12 to ptr
  %v24 = inttoptr i64 %v6 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr i64, ptr %v23, i64 %v28
  %v30 = load i64, ptr %v29, align 8
  %v31 = getelementptr i64, ptr %v24, i64 %v32
  %v33 = load i64, ptr %v31, align 8
  %v34 = call i64 @llvm.smax.i64(i64 %v30, i64 %v33)
  store i64 %v34, ptr %v31, align 8
  %v35 = icmp eq i64 %v27, %v18
  br i1 %v35, label %v20, label %v25
v25:
  %v28 = phi i64 [ 0, %v21 ], [ %v27, %v26 ]
  %v36 = getelementptr i64, ptr %v22, i64 %v28
  %v32 = load i64, ptr %v36, align 8
  %v37 = icmp sgt i64 %v32, -1
  %v38 = icmp slt i64 %v32, %v8
  %v39 = select i1 %v37, i1 %v38, i1 false
  br i1 %v39, label %v26, label %v20
v20:
  %v40 = phi i32 [ 0, %v15 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v40
}

define i32 @scatter_min_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr float, ptr %v14, i64 %v28
  %v30 = load float, ptr %v29, align 4
  %v31 = getelementptr float, ptr %v7, i64 %v32
  %v33 = load float, ptr %v31, align 4
  %v34 = fcmp olt float %v30, %v33
  %v35 = fcmp uno float %v30, 0.000000e+00
  %v36 = or i1 %v35, %v34
  %v37 = select i1 %v36, float %v30, float %v33
  store float %v37, ptr %v31, align 4
  %v38 = icmp eq i64 %v27, %v20
  br i1 %v38, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v39 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v39, align 8
  %v40 = icmp sgt i64 %v32, -1
  %v41 = icmp slt i64 %v32, %v9
  %v42 = select i1 %v40, i1 %v41, i1 false
  br i1 %v42, label %v26, label %v22
v22:
  %v43 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v43
}

define i32 @scatter_min_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr double, ptr %v14, i64 %v28
  %v30 = load double, ptr %v29, align 8
  %v31 = getelementptr double, ptr %v7, i64 %v32
  %v33 = load double, ptr %v31, align 8
  %v34 = fcmp olt double %v30, %v33
  %v35 = fcmp uno double %v30, 0.000000e+00
  %v36 = or i1 %v35, %v34
  %v37 = select i1 %v36, double %v30, double %v33
  store double %v37, ptr %v31, align 8
  %v38 = icmp eq i64 %v27, %v20
  br i1 %v38, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v39 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v39, align 8
  %v40 = icmp sgt i64 %v32, -1
  %v41 = icmp slt i64 %v32, %v9
  %v42 = select i1 %v40, i1 %v41, i1 false
  br i1 %v42, label %v26, label %v22
v22:
  %v43 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v43
}

define i32 @scatter_min_int32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v4, i64 24
  %v11 = load i64, ptr %v10, align 8
  %v12 = getelementptr i8, ptr %v4, i64 40
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = icmp slt i64 %v1, %v2
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = load i64, ptr %v4, align 8
  %v19 = call i64 @llvm.smax.i64(i64 %v18, i64 0)
  br label %v17
v17:
  %v20 = phi i64 [ %v19, %v16 ], [ 0, %v3 ]
  %v21 = icmp eq i64 %v20, 0
  br i1 %v21, label %v22, label %v23
v23:
  %v24 = inttoptr i64 %v11 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr i32, ptr %v14, i64 %v28
  %v30 = load i32, ptr %v29, align 4
  %v31 = getelementptr i32, ptr %v7, i64 %v32
  %v33 = load i32, ptr %v31, align 4
  %v34 = call i32 @llvm.smin.i32(i32 %v30, i32 %v33)
  store i32 %v34, ptr %v31, align 4
  %v35 = icmp eq i64 %v27, %v20
  br i1 %v35, label %v22, label %v25
v25:
  %v28 = phi i64 [ 0, %v23 ], [ %v27, %v26 ]
  %v36 = getelementptr i64, ptr %v24, i64 %v28
  %v32 = load i64, ptr %v36, align 8
  %v37 = icmp sgt i64 %v32, -1
  %v38 = icmp slt i64 %v32, %v9
  %v39 = select i1 %v37, i1 %v38, i1 false
  br i1 %v39, label %v26, label %v22
v22:
  %v40 = phi i32 [ 0, %v17 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v40
}

define i32 @scatter_min_int64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i8, ptr %v4, i64 16
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i8, ptr %v4, i64 24
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i8, ptr %v4, i64 40
  %v12 = load i64, ptr %v11, align 8
  %v13 = icmp slt i64 %v1, %v2
  br i1 %v13, label %v14, label %v15
v14:
  %v16 = load i64, ptr %v4, align 8
  %v17 = call i64 @llvm.smax.i64(i64 %v16, i64 0)
  br label %v15
v15:
  %v18 = phi i64 [ %v17, %v14 ], [ 0, %v3 ]
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v21:
  %v22 = inttoptr i64 %v10 to ptr
  %v23 = inttoptr i64 %v12 to ptr
  %v24 = inttoptr i64 %v6 to ptr
  br label %v25
v26:
  %v27 = add nuw nsw i64 %v28, 1
  %v29 = getelementptr i64, ptr %v23, i64 %v28
  %v30 = load i64, ptr %v29, align 8
  %v31 = getelementptr i64, ptr %v24, i64 %v32
  %v33 = load i64, ptr %v31, align 8
  %v34 = call i64 @llvm.smin.i64(i64 %v30, i64 %v33)
  store i64 %v34, ptr %v31, align 8
  %v35 = icmp eq i64 %v27, %v18
  br i1 %v35, label %v20, label %v25
v25:
  %v28 = phi i64 [ 0, %v21 ], [ %v27, %v26 ]
  %v36 = getelementptr i64, ptr %v22, i64 %v28
  %v32 = load i64, ptr %v36, align 8
  %v37 = icmp sgt i64 %v32, -1
  %v38 = icmp slt i64 %v32, %v8
  %v39 = select i1 %v37, i1 %v38, i1 false
  br i1 %v39, label %v26, label %v20
v20:
  %v40 = phi i32 [ 0, %v15 ], [ 2, %v25 ], [ 0, %v26 ]
  ret i32 %v40
}

declare i64 @llvm.smax.i64(i64, i64)

declare i32 @llvm.smax.i32(i32, i32)

declare i32 @llvm.smin.i32(i32, i32)

declare i64 @llvm.smin.i64(i64, i64)
