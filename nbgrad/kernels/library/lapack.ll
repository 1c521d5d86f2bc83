; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @inv_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 80
  %v14 = getelementptr i8, ptr %v9, i64 32
  %v15 = getelementptr i8, ptr %v9, i64 40
  %v16 = getelementptr i8, ptr %v9, i64 48
  %v17 = getelementptr i8, ptr %v9, i64 56
  %v18 = getelementptr i8, ptr %v9, i64 64
  %v19 = getelementptr i8, ptr %v9, i64 96
  %v20 = getelementptr i8, ptr %v9, i64 104
  %v21 = getelementptr i8, ptr %v9, i64 88
  %v22 = getelementptr i8, ptr %v9, i64 72
  br label %v23
v24:
  %v25 = icmp sgt i64 %v26, 1
  br i1 %v25, label %v23, label %v7
v27:
  %v28 = phi i64 [ %v29, %v23 ], [ %v30, %v31 ]
  %v32 = phi i64 [ %v33, %v23 ], [ %v34, %v31 ]
  %v35 = icmp sgt i64 %v32, 0
  br i1 %v35, label %v36, label %v24
v23:
  %v26 = phi i64 [ %v5, %v8 ], [ %v37, %v24 ]
  %v38 = phi i64 [ %v1, %v8 ], [ %v39, %v24 ]
  %v37 = add nsw i64 %v26, -1
  %v39 = add i64 %v38, 1
  %v40 = load i64, ptr %v10, align 8
  %v41 = inttoptr i64 %v40 to ptr
  %v42 = load i64, ptr %v11, align 8
  %v43 = mul i64 %v42, %v38
  %v44 = getelementptr i8, ptr %v41, i64 %v43
  %v45 = load i64, ptr %v9, align 8
  %v46 = mul i64 %v45, %v39
  %v47 = load i64, ptr %v12, align 8
  %v48 = call i64 @llvm.smin.i64(i64 %v47, i64 %v46)
  %v29 = mul i64 %v45, %v38
  %v49 = sub i64 %v48, %v29
  %v33 = call i64 @llvm.smax.i64(i64 %v49, i64 0)
  br label %v27
v36:
  %v34 = add nsw i64 %v32, -1
  %v30 = add i64 %v28, 1
  %v50 = load i64, ptr %v13, align 8
  %v51 = getelementptr i8, ptr %v44, i64 %v50
  %v52 = load i64, ptr %v14, align 8
  %v53 = inttoptr i64 %v52 to ptr
  %v54 = load i64, ptr %v15, align 8
  %v55 = mul i64 %v54, %v28
  %v56 = getelementptr i8, ptr %v53, i64 %v55
  %v57 = load i64, ptr %v16, align 8
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = load i64, ptr %v17, align 8
  %v60 = mul i64 %v59, %v28
  %v61 = getelementptr i8, ptr %v58, i64 %v60
  %v62 = load i64, ptr %v18, align 8
  %v63 = mul i64 %v62, %v62
  %v64 = icmp slt i64 %v63, 1
  br i1 %v64, label %v65, label %v66
v66:
  %v67 = phi i64 [ %v68, %v66 ], [ 0, %v36 ]
  %v68 = add nuw nsw i64 %v67, 1
  %v69 = getelementptr float, ptr %v56, i64 %v67
  %v70 = load float, ptr %v69, align 4
  %v71 = getelementptr float, ptr %v61, i64 %v67
  store float %v70, ptr %v71, align 4
  %v72 = icmp eq i64 %v63, %v68
  br i1 %v72, label %v65, label %v66
v65:
  %v73 = load i64, ptr %v19, align 8
  %v74 = inttoptr i64 %v73 to ptr
  call void %v74(ptr %v18, ptr %v18, ptr %v61, ptr %v18, ptr %v51, ptr %v4)
  %v75 = load i32, ptr %v4, align 8
  %v76 = icmp eq i32 %v75, 0
  br i1 %v76, label %v77, label %v31
v77:
  %v78 = load i64, ptr %v20, align 8
  %v79 = load i64, ptr %v21, align 8
  %v80 = getelementptr i8, ptr %v44, i64 %v79
  %v81 = inttoptr i64 %v78 to ptr
  call void %v81(ptr %v18, ptr %v61, ptr %v18, ptr %v51, ptr %v80, ptr %v22, ptr %v4)
  br label %v31
v31:
  %v82 = phi i32 [ 0, %v77 ], [ 3, %v65 ]
  br i1 %v76, label %v27, label %v7
v7:
  %v83 = phi i32 [ 0, %v3 ], [ %v82, %v31 ], [ 0, %v24 ]
  ret i32 %v83
}

define i32 @solve_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 32
  %v14 = getelementptr i8, ptr %v9, i64 40
  %v15 = getelementptr i8, ptr %v9, i64 104
  %v16 = getelementptr i8, ptr %v9, i64 80
  %v17 = getelementptr i8, ptr %v9, i64 48
  %v18 = getelementptr i8, ptr %v9, i64 56
  %v19 = getelementptr i8, ptr %v9, i64 64
  %v20 = getelementptr i8, ptr %v9, i64 72
  %v21 = getelementptr i8, ptr %v9, i64 88
  %v22 = getelementptr i8, ptr %v9, i64 112
  %v23 = getelementptr i8, ptr %v9, i64 120
  %v24 = getelementptr i8, ptr %v9, i64 128
  %v25 = getelementptr i8, ptr %v9, i64 96
  br label %v26
v27:
  %v28 = icmp sgt i64 %v29, 1
  br i1 %v28, label %v26, label %v7
v30:
  %v31 = phi i64 [ %v32, %v26 ], [ %v33, %v34 ]
  %v35 = phi i64 [ %v36, %v26 ], [ %v37, %v34 ]
  %v38 = icmp sgt i64 %v35, 0
  br i1 %v38, label %v39, label %v27
v26:
  %v29 = phi i64 [ %v5, %v8 ], [ %v40, %v27 ]
  %v41 = phi i64 [ %v1, %v8 ], [ %v42, %v27 ]
  %v40 = add nsw i64 %v29, -1
  %v42 = add i64 %v41, 1
  %v43 = load i64, ptr %v10, align 8
  %v44 = inttoptr i64 %v43 to ptr
  %v45 = load i64, ptr %v11, align 8
  %v46 = mul i64 %v45, %v41
  %v47 = getelementptr i8, ptr %v44, i64 %v46
  %v48 = load i64, ptr %v9, align 8
  %v49 = mul i64 %v48, %v42
  %v50 = load i64, ptr %v12, align 8
  %v51 = call i64 @llvm.smin.i64(i64 %v50, i64 %v49)
  %v32 = mul i64 %v48, %v41
  %v52 = sub i64 %v51, %v32
  %v36 = call i64 @llvm.smax.i64(i64 %v52, i64 0)
  br label %v30
v39:
  %v37 = add nsw i64 %v35, -1
  %v33 = add i64 %v31, 1
  %v53 = load i64, ptr %v13, align 8
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = load i64, ptr %v14, align 8
  %v56 = mul i64 %v55, %v31
  %v57 = getelementptr i8, ptr %v54, i64 %v56
  %v58 = load i64, ptr %v15, align 8
  %v59 = getelementptr i8, ptr %v47, i64 %v58
  %v60 = load i64, ptr %v16, align 8
  %v61 = mul i64 %v60, %v60
  %v62 = icmp slt i64 %v61, 1
  br i1 %v62, label %v63, label %v64
v64:
  %v65 = phi i64 [ %v66, %v64 ], [ 0, %v39 ]
  %v66 = add nuw nsw i64 %v65, 1
  %v67 = getelementptr float, ptr %v57, i64 %v65
  %v68 = load float, ptr %v67, align 4
  %v69 = getelementptr float, ptr %v59, i64 %v65
  store float %v68, ptr %v69, align 4
  %v70 = icmp eq i64 %v61, %v66
  br i1 %v70, label %v63, label %v64
v63:
  %v71 = load i64, ptr %v17, align 8
  %v72 = inttoptr i64 %v71 to ptr
  %v73 = load i64, ptr %v18, align 8
  %v74 = mul i64 %v73, %v31
  %v75 = getelementptr i8, ptr %v72, i64 %v74
  %v76 = load i64, ptr %v19, align 8
  %v77 = inttoptr i64 %v76 to ptr
  %v78 = load i64, ptr %v20, align 8
  %v79 = mul i64 %v78, %v31
  %v80 = getelementptr i8, ptr %v77, i64 %v79
  %v81 = load i64, ptr %v16, align 8
  %v82 = load i64, ptr %v21, align 8
  %v83 = mul i64 %v82, %v81
  %v84 = icmp slt i64 %v83, 1
  br i1 %v84, label %v85, label %v86
v86:
  %v87 = phi i64 [ %v88, %v86 ], [ 0, %v63 ]
  %v88 = add nuw nsw i64 %v87, 1
  %v89 = getelementptr float, ptr %v75, i64 %v87
  %v90 = load float, ptr %v89, align 4
  %v91 = getelementptr float, ptr %v80, i64 %v87
  store float %v90, ptr %v91, align 4
  %v92 = icmp eq i64 %v83, %v88
  br i1 %v92, label %v85, label %v86
v85:
  %v93 = load i64, ptr %v22, align 8
  %v94 = getelementptr i8, ptr %v47, i64 %v93
  %v95 = load i64, ptr %v23, align 8
  %v96 = inttoptr i64 %v95 to ptr
  call void %v96(ptr %v16, ptr %v16, ptr %v59, ptr %v16, ptr %v94, ptr %v4)
  %v97 = load i32, ptr %v4, align 8
  %v98 = icmp eq i32 %v97, 0
  br i1 %v98, label %v99, label %v34
v99:
  %v100 = load i64, ptr %v24, align 8
  %v101 = inttoptr i64 %v100 to ptr
  call void %v101(ptr %v25, ptr %v16, ptr %v21, ptr %v59, ptr %v16, ptr %v94, ptr %v80, ptr %v16, ptr %v4)
  br label %v34
v34:
  %v102 = phi i32 [ 0, %v99 ], [ 3, %v85 ]
  br i1 %v98, label %v30, label %v7
v7:
  %v103 = phi i32 [ 0, %v3 ], [ %v102, %v34 ], [ 0, %v27 ]
  ret i32 %v103
}

define i32 @solve_triangular_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = sub i64 %v2, %v1
  %v5 = icmp slt i64 %v4, 1
  br i1 %v5, label %v6, label %v7
v7:
  %v8 = inttoptr i64 %v0 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 8
  %v10 = getelementptr i8, ptr %v8, i64 48
  %v11 = getelementptr i8, ptr %v8, i64 56
  %v12 = getelementptr i8, ptr %v8, i64 64
  %v13 = getelementptr i8, ptr %v8, i64 72
  %v14 = getelementptr i8, ptr %v8, i64 80
  %v15 = getelementptr i8, ptr %v8, i64 88
  %v16 = getelementptr i8, ptr %v8, i64 136
  %v17 = getelementptr i8, ptr %v8, i64 32
  %v18 = getelementptr i8, ptr %v8, i64 40
  %v19 = getelementptr i8, ptr %v8, i64 128
  %v20 = getelementptr i8, ptr %v8, i64 120
  %v21 = getelementptr i8, ptr %v8, i64 112
  %v22 = getelementptr i8, ptr %v8, i64 104
  %v23 = getelementptr i8, ptr %v8, i64 96
  br label %v24
v25:
  %v26 = icmp sgt i64 %v27, 1
  br i1 %v26, label %v24, label %v6
v24:
  %v27 = phi i64 [ %v4, %v7 ], [ %v28, %v25 ]
  %v29 = phi i64 [ %v1, %v7 ], [ %v30, %v25 ]
  %v28 = add nsw i64 %v27, -1
  %v30 = add i64 %v29, 1
  %v31 = load i64, ptr %v8, align 8
  %v32 = mul i64 %v31, %v30
  %v33 = load i64, ptr %v9, align 8
  %v34 = call i64 @llvm.smin.i64(i64 %v33, i64 %v32)
  %v35 = mul i64 %v31, %v29
  %v36 = sub i64 %v34, %v35
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v25, label %v38
v38:
  %v39 = phi i64 [ %v40, %v41 ], [ %v36, %v24 ]
  %v42 = phi i64 [ %v43, %v41 ], [ %v35, %v24 ]
  %v40 = add nsw i64 %v39, -1
  %v43 = add i64 %v42, 1
  %v44 = load i64, ptr %v10, align 8
  %v45 = inttoptr i64 %v44 to ptr
  %v46 = load i64, ptr %v11, align 8
  %v47 = mul i64 %v46, %v42
  %v48 = getelementptr i8, ptr %v45, i64 %v47
  %v49 = load i64, ptr %v12, align 8
  %v50 = inttoptr i64 %v49 to ptr
  %v51 = load i64, ptr %v13, align 8
  %v52 = mul i64 %v51, %v42
  %v53 = getelementptr i8, ptr %v50, i64 %v52
  %v54 = load i64, ptr %v14, align 8
  %v55 = load i64, ptr %v15, align 8
  %v56 = mul i64 %v55, %v54
  %v57 = icmp slt i64 %v56, 1
  br i1 %v57, label %v41, label %v58
v58:
  %v59 = phi i64 [ %v60, %v58 ], [ 0, %v38 ]
  %v60 = add nuw nsw i64 %v59, 1
  %v61 = getelementptr float, ptr %v48, i64 %v59
  %v62 = load float, ptr %v61, align 4
  %v63 = getelementptr float, ptr %v53, i64 %v59
  store float %v62, ptr %v63, align 4
  %v64 = icmp eq i64 %v56, %v60
  br i1 %v64, label %v41, label %v58
v41:
  %v65 = load i64, ptr %v16, align 8
  %v66 = load i64, ptr %v17, align 8
  %v67 = inttoptr i64 %v66 to ptr
  %v68 = load i64, ptr %v18, align 8
  %v69 = mul i64 %v68, %v42
  %v70 = getelementptr i8, ptr %v67, i64 %v69
  %v71 = inttoptr i64 %v65 to ptr
  call void %v71(ptr %v23, ptr %v22, ptr %v21, ptr %v20, ptr %v14, ptr %v15, ptr %v19, ptr %v70, ptr %v14, ptr %v53, ptr %v14)
  %v72 = icmp sgt i64 %v39, 1
  br i1 %v72, label %v38, label %v25
v6:
  ret i32 0
}

define i32 @cholesky_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 8
  %v11 = getelementptr i8, ptr %v9, i64 64
  %v12 = getelementptr i8, ptr %v9, i64 32
  %v13 = getelementptr i8, ptr %v9, i64 40
  %v14 = getelementptr i8, ptr %v9, i64 48
  %v15 = getelementptr i8, ptr %v9, i64 56
  %v16 = getelementptr i8, ptr %v9, i64 80
  %v17 = getelementptr i8, ptr %v9, i64 72
  br label %v18
v19:
  %v20 = icmp sgt i64 %v21, 1
  br i1 %v20, label %v18, label %v7
v22:
  %v23 = icmp sgt i64 %v24, 1
  br i1 %v23, label %v25, label %v19
v18:
  %v21 = phi i64 [ %v5, %v8 ], [ %v26, %v19 ]
  %v27 = phi i64 [ %v1, %v8 ], [ %v28, %v19 ]
  %v26 = add nsw i64 %v21, -1
  %v28 = add i64 %v27, 1
  %v29 = load i64, ptr %v9, align 8
  %v30 = mul i64 %v29, %v28
  %v31 = load i64, ptr %v10, align 8
  %v32 = call i64 @llvm.smin.i64(i64 %v31, i64 %v30)
  %v33 = mul i64 %v29, %v27
  %v34 = sub i64 %v32, %v33
  %v35 = icmp slt i64 %v34, 1
  br i1 %v35, label %v19, label %v25
v25:
  %v24 = phi i64 [ %v36, %v22 ], [ %v34, %v18 ]
  %v37 = phi i64 [ %v38, %v22 ], [ %v33, %v18 ]
  %v36 = add nsw i64 %v24, -1
  %v38 = add i64 %v37, 1
  %v39 = load i64, ptr %v11, align 8
  %v40 = load i64, ptr %v12, align 8
  %v41 = inttoptr i64 %v40 to ptr
  %v42 = load i64, ptr %v13, align 8
  %v43 = mul i64 %v42, %v37
  %v44 = getelementptr i8, ptr %v41, i64 %v43
  %v45 = load i64, ptr %v14, align 8
  %v46 = inttoptr i64 %v45 to ptr
  %v47 = load i64, ptr %v15, align 8
  %v48 = mul i64 %v47, %v37
  %v49 = getelementptr i8, ptr %v46, i64 %v48
  %v50 = mul i64 %v39, %v39
  %v51 = icmp slt i64 %v50, 1
  br i1 %v51, label %v52, label %v53
v53:
  %v54 = phi i64 [ %v55, %v53 ], [ 0, %v25 ]
  %v55 = add nuw nsw i64 %v54, 1
  %v56 = getelementptr float, ptr %v44, i64 %v54
  %v57 = load float, ptr %v56, align 4
  %v58 = getelementptr float, ptr %v49, i64 %v54
  store float %v57, ptr %v58, align 4
  %v59 = icmp eq i64 %v50, %v55
  br i1 %v59, label %v52, label %v53
v52:
  %v60 = load i64, ptr %v16, align 8
  %v61 = inttoptr i64 %v60 to ptr
  call void %v61(ptr %v17, ptr %v11, ptr %v49, ptr %v11, ptr %v4)
  %v62 = load i32, ptr %v4, align 8
  %v63 = icmp eq i32 %v62, 0
  br i1 %v63, label %v64, label %v7
v64:
  %v65 = call i64 @llvm.smax.i64(i64 %v39, i64 0)
  %v66 = add i64 %v39, 1
  %v67 = add i64 %v39, -1
  br label %v68
v68:
  %v69 = phi i64 [ 0, %v64 ], [ %v70, %v71 ]
  %v72 = icmp eq i64 %v69, %v65
  br i1 %v72, label %v73, label %v74
v73:
  %v75 = icmp slt i64 %v39, 1
  br i1 %v75, label %v22, label %v76
v71:
  %v70 = add nuw i64 %v69, 1
  %v77 = fcmp oeq float %v78, 0x7FF0000000000000
  %v79 = icmp slt i64 %v69, %v67
  %v80 = and i1 %v77, %v79
  br i1 %v80, label %v7, label %v68
v81:
  %v82 = icmp eq i64 %v39, %v83
  br i1 %v82, label %v22, label %v76
v74:
  %v84 = mul i64 %v69, %v66
  %v85 = getelementptr float, ptr %v49, i64 %v84
  %v78 = load float, ptr %v85, align 4
  %v86 = fcmp uno float %v78, 0.000000e+00
  br i1 %v86, label %v7, label %v71
v76:
  %v87 = phi i64 [ %v83, %v81 ], [ 0, %v73 ]
  %v83 = add nuw nsw i64 %v87, 1
  %v88 = icmp sgt i64 %v39, %v83
  br i1 %v88, label %v89, label %v81
v89:
  %v90 = mul i64 %v87, %v39
  %v91 = getelementptr float, ptr %v49, i64 %v90
  br label %v92
v92:
  %v93 = phi i64 [ %v83, %v89 ], [ %v94, %v92 ]
  %v94 = add nuw i64 %v93, 1
  %v95 = getelementptr float, ptr %v91, i64 %v93
  store float 0.000000e+00, ptr %v95, align 4
  %v96 = icmp eq i64 %v94, %v39
  br i1 %v96, label %v81, label %v92
v7:
  %v97 = phi i32 [ 4, %v52 ], [ 4, %v71 ], [ 0, %v3 ], [ 4, %v74 ], [ 0, %v19 ]
  ret i32 %v97
}

define i32 @lu_diagonal_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 48
  %v15 = getelementptr i8, ptr %v9, i64 56
  %v16 = getelementptr i8, ptr %v9, i64 80
  %v17 = getelementptr i8, ptr %v9, i64 32
  %v18 = getelementptr i8, ptr %v9, i64 40
  %v19 = getelementptr i8, ptr %v9, i64 72
  %v20 = getelementptr i8, ptr %v9, i64 88
  br label %v21
v22:
  %v23 = icmp sgt i64 %v24, 1
  br i1 %v23, label %v21, label %v7
v21:
  %v24 = phi i64 [ %v5, %v8 ], [ %v25, %v22 ]
  %v26 = phi i64 [ %v1, %v8 ], [ %v27, %v22 ]
  %v25 = add nsw i64 %v24, -1
  %v27 = add i64 %v26, 1
  %v28 = load i64, ptr %v10, align 8
  %v29 = inttoptr i64 %v28 to ptr
  %v30 = load i64, ptr %v11, align 8
  %v31 = mul i64 %v30, %v26
  %v32 = getelementptr i8, ptr %v29, i64 %v31
  %v33 = load i64, ptr %v9, align 8
  %v34 = mul i64 %v33, %v27
  %v35 = load i64, ptr %v12, align 8
  %v36 = call i64 @llvm.smin.i64(i64 %v35, i64 %v34)
  %v37 = mul i64 %v33, %v26
  %v38 = sub i64 %v36, %v37
  %v39 = icmp slt i64 %v38, 1
  br i1 %v39, label %v22, label %v40
v40:
  %v41 = phi i64 [ %v42, %v43 ], [ %v38, %v21 ]
  %v44 = phi i64 [ %v45, %v43 ], [ %v37, %v21 ]
  %v42 = add nsw i64 %v41, -1
  %v45 = add i64 %v44, 1
  %v46 = load i64, ptr %v13, align 8
  %v47 = load i64, ptr %v14, align 8
  %v48 = inttoptr i64 %v47 to ptr
  %v49 = load i64, ptr %v15, align 8
  %v50 = mul i64 %v49, %v44
  %v51 = getelementptr i8, ptr %v48, i64 %v50
  %v52 = load i64, ptr %v16, align 8
  %v53 = getelementptr i8, ptr %v32, i64 %v52
  %v54 = load i64, ptr %v17, align 8
  %v55 = inttoptr i64 %v54 to ptr
  %v56 = load i64, ptr %v18, align 8
  %v57 = mul i64 %v56, %v44
  %v58 = getelementptr i8, ptr %v55, i64 %v57
  %v59 = load i64, ptr %v19, align 8
  %v60 = getelementptr i8, ptr %v32, i64 %v59
  %v61 = mul i64 %v46, %v46
  %v62 = icmp slt i64 %v61, 1
  br i1 %v62, label %v63, label %v64
v64:
  %v65 = phi i64 [ %v66, %v64 ], [ 0, %v40 ]
  %v66 = add nuw nsw i64 %v65, 1
  %v67 = getelementptr float, ptr %v58, i64 %v65
  %v68 = load float, ptr %v67, align 4
  %v69 = getelementptr float, ptr %v60, i64 %v65
  store float %v68, ptr %v69, align 4
  %v70 = icmp eq i64 %v61, %v66
  br i1 %v70, label %v63, label %v64
v63:
  %v71 = load i64, ptr %v20, align 8
  %v72 = inttoptr i64 %v71 to ptr
  call void %v72(ptr %v13, ptr %v13, ptr %v60, ptr %v13, ptr %v53, ptr %v4)
  %v73 = icmp slt i64 %v46, 1
  br i1 %v73, label %v74, label %v75
v75:
  %v76 = add nuw i64 %v46, 1
  br label %v77
v74:
  %v78 = icmp slt i64 %v46, 1
  br i1 %v78, label %v43, label %v79
v79:
  %v80 = phi i64 [ %v81, %v79 ], [ 0, %v74 ]
  %v82 = phi i64 [ %v83, %v79 ], [ 0, %v74 ]
  %v83 = add nuw nsw i64 %v82, 1
  %v84 = getelementptr i32, ptr %v53, i64 %v82
  %v85 = load i32, ptr %v84, align 4
  %v86 = sext i32 %v85 to i64
  %v87 = icmp ne i64 %v83, %v86
  %v88 = zext i1 %v87 to i64
  %v81 = xor i64 %v80, %v88
  %v89 = icmp eq i64 %v46, %v83
  br i1 %v89, label %v90, label %v79
v90:
  %v91 = icmp eq i64 %v80, %v88
  br i1 %v91, label %v43, label %v92
v92:
  %v93 = load float, ptr %v51, align 4
  %v94 = fneg float %v93
  store float %v94, ptr %v51, align 4
  br label %v43
v77:
  %v95 = phi i64 [ 0, %v75 ], [ %v96, %v77 ]
  %v96 = add nuw nsw i64 %v95, 1
  %v97 = mul i64 %v95, %v76
  %v98 = getelementptr float, ptr %v60, i64 %v97
  %v99 = load float, ptr %v98, align 4
  %v100 = getelementptr float, ptr %v51, i64 %v95
  store float %v99, ptr %v100, align 4
  %v101 = icmp eq i64 %v46, %v96
  br i1 %v101, label %v74, label %v77
v43:
  %v102 = icmp sgt i64 %v41, 1
  br i1 %v102, label %v40, label %v22
v7:
  ret i32 0
}

define i32 @lu_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 72
  %v15 = getelementptr i8, ptr %v9, i64 88
  %v16 = getelementptr i8, ptr %v9, i64 32
  %v17 = getelementptr i8, ptr %v9, i64 40
  %v18 = getelementptr i8, ptr %v9, i64 48
  %v19 = getelementptr i8, ptr %v9, i64 56
  %v20 = getelementptr i8, ptr %v9, i64 96
  %v21 = getelementptr i8, ptr %v9, i64 104
  %v22 = getelementptr i8, ptr %v9, i64 112
  %v23 = getelementptr i8, ptr %v9, i64 80
  br label %v24
v25:
  %v26 = icmp sgt i64 %v27, 1
  br i1 %v26, label %v24, label %v7
v28:
  %v29 = icmp sgt i64 %v30, 1
  br i1 %v29, label %v31, label %v25
v24:
  %v27 = phi i64 [ %v5, %v8 ], [ %v32, %v25 ]
  %v33 = phi i64 [ %v1, %v8 ], [ %v34, %v25 ]
  %v32 = add nsw i64 %v27, -1
  %v34 = add i64 %v33, 1
  %v35 = load i64, ptr %v10, align 8
  %v36 = inttoptr i64 %v35 to ptr
  %v37 = load i64, ptr %v11, align 8
  %v38 = mul i64 %v37, %v33
  %v39 = getelementptr i8, ptr %v36, i64 %v38
  %v40 = load i64, ptr %v9, align 8
  %v41 = mul i64 %v40, %v34
  %v42 = load i64, ptr %v12, align 8
  %v43 = call i64 @llvm.smin.i64(i64 %v42, i64 %v41)
  %v44 = mul i64 %v40, %v33
  %v45 = sub i64 %v43, %v44
  %v46 = icmp slt i64 %v45, 1
  br i1 %v46, label %v25, label %v31
v31:
  %v30 = phi i64 [ %v47, %v28 ], [ %v45, %v24 ]
  %v48 = phi i64 [ %v49, %v28 ], [ %v44, %v24 ]
  %v47 = add nsw i64 %v30, -1
  %v49 = add i64 %v48, 1
  %v50 = load i64, ptr %v13, align 8
  %v51 = load i64, ptr %v14, align 8
  %v52 = load i64, ptr %v15, align 8
  %v53 = load i64, ptr %v16, align 8
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = load i64, ptr %v17, align 8
  %v56 = mul i64 %v55, %v48
  %v57 = getelementptr i8, ptr %v54, i64 %v56
  %v58 = load i64, ptr %v18, align 8
  %v59 = inttoptr i64 %v58 to ptr
  %v60 = load i64, ptr %v19, align 8
  %v61 = mul i64 %v60, %v48
  %v62 = getelementptr i8, ptr %v59, i64 %v61
  %v63 = load i64, ptr %v20, align 8
  %v64 = getelementptr i8, ptr %v39, i64 %v63
  %v65 = load i64, ptr %v21, align 8
  %v66 = getelementptr i8, ptr %v39, i64 %v65
  %v67 = icmp slt i64 %v50, 1
  br i1 %v67, label %v68, label %v69
v69:
  %v70 = icmp slt i64 %v51, 1
  br label %v71
v72:
  %v73 = icmp eq i64 %v50, %v74
  br i1 %v73, label %v68, label %v71
v68:
  %v75 = load i64, ptr %v22, align 8
  %v76 = inttoptr i64 %v75 to ptr
  call void %v76(ptr %v13, ptr %v14, ptr %v64, ptr %v23, ptr %v66, ptr %v4)
  %v77 = icmp slt i64 %v50, 1
  br i1 %v77, label %v78, label %v79
v79:
  %v80 = icmp slt i64 %v51, 1
  br label %v81
v82:
  %v83 = icmp eq i64 %v50, %v84
  br i1 %v83, label %v78, label %v81
v78:
  %v85 = mul i64 %v51, %v50
  %v86 = getelementptr float, ptr %v62, i64 %v85
  %v87 = getelementptr float, ptr %v86, i64 %v52
  %v88 = icmp slt i64 %v50, 1
  br i1 %v88, label %v89, label %v90
v89:
  %v91 = icmp slt i64 %v52, 1
  br i1 %v91, label %v28, label %v92
v71:
  %v93 = phi i64 [ 0, %v69 ], [ %v74, %v72 ]
  %v74 = add nuw nsw i64 %v93, 1
  %v94 = getelementptr float, ptr %v64, i64 %v93
  br i1 %v70, label %v72, label %v95
v95:
  %v96 = mul i64 %v93, %v51
  %v97 = getelementptr float, ptr %v57, i64 %v96
  br label %v98
v98:
  %v99 = phi i64 [ 0, %v95 ], [ %v100, %v98 ]
  %v100 = add nuw nsw i64 %v99, 1
  %v101 = getelementptr float, ptr %v97, i64 %v99
  %v102 = load float, ptr %v101, align 4
  %v103 = mul i64 %v99, %v50
  %v104 = getelementptr float, ptr %v94, i64 %v103
  store float %v102, ptr %v104, align 4
  %v105 = icmp eq i64 %v51, %v100
  br i1 %v105, label %v72, label %v98
v81:
  %v106 = phi i64 [ 0, %v79 ], [ %v84, %v82 ]
  %v84 = add nuw nsw i64 %v106, 1
  %v107 = getelementptr float, ptr %v64, i64 %v106
  br i1 %v80, label %v82, label %v108
v108:
  %v109 = mul i64 %v106, %v51
  %v110 = getelementptr float, ptr %v62, i64 %v109
  br label %v111
v111:
  %v112 = phi i64 [ 0, %v108 ], [ %v113, %v111 ]
  %v113 = add nuw nsw i64 %v112, 1
  %v114 = mul i64 %v112, %v50
  %v115 = getelementptr float, ptr %v107, i64 %v114
  %v116 = load float, ptr %v115, align 4
  %v117 = getelementptr float, ptr %v110, i64 %v112
  store float %v116, ptr %v117, align 4
  %v118 = icmp eq i64 %v51, %v113
  br i1 %v118, label %v82, label %v111
v90:
  %v119 = phi i64 [ %v120, %v90 ], [ 0, %v78 ]
  %v120 = add nuw nsw i64 %v119, 1
  %v121 = uitofp i64 %v119 to double
  %v122 = fptrunc double %v121 to float
  %v123 = getelementptr float, ptr %v87, i64 %v119
  store float %v122, ptr %v123, align 4
  %v124 = icmp eq i64 %v50, %v120
  br i1 %v124, label %v89, label %v90
v92:
  %v125 = phi i64 [ %v126, %v92 ], [ 0, %v89 ]
  %v126 = add nuw nsw i64 %v125, 1
  %v127 = getelementptr i32, ptr %v66, i64 %v125
  %v128 = load i32, ptr %v127, align 4
  %v129 = sext i32 %v128 to i64
  %v130 = sitofp i32 %v128 to float
  %v131 = getelementptr float, ptr %v86, i64 %v125
  store float %v130, ptr %v131, align 4
  %v132 = getelementptr float, ptr %v87, i64 %v125
  %v133 = load float, ptr %v132, align 4
  %v134 = getelementptr float, ptr %v87, i64 %v129
  %v135 = getelementptr i8, ptr %v134, i64 -4
  %v136 = load float, ptr %v135, align 4
  store float %v136, ptr %v132, align 4
  store float %v133, ptr %v135, align 4
  %v137 = icmp eq i64 %v52, %v126
  br i1 %v137, label %v28, label %v92
v7:
  ret i32 0
}

define i32 @lu_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 72
  %v15 = getelementptr i8, ptr %v9, i64 88
  %v16 = getelementptr i8, ptr %v9, i64 32
  %v17 = getelementptr i8, ptr %v9, i64 40
  %v18 = getelementptr i8, ptr %v9, i64 48
  %v19 = getelementptr i8, ptr %v9, i64 56
  %v20 = getelementptr i8, ptr %v9, i64 96
  %v21 = getelementptr i8, ptr %v9, i64 104
  %v22 = getelementptr i8, ptr %v9, i64 112
  %v23 = getelementptr i8, ptr %v9, i64 80
  br label %v24
v25:
  %v26 = icmp sgt i64 %v27, 1
  br i1 %v26, label %v24, label %v7
v28:
  %v29 = icmp sgt i64 %v30, 1
  br i1 %v29, label %v31, label %v25
v24:
  %v27 = phi i64 [ %v5, %v8 ], [ %v32, %v25 ]
  %v33 = phi i64 [ %v1, %v8 ], [ %v34, %v25 ]
  %v32 = add nsw i64 %v27, -1
  %v34 = add i64 %v33, 1
  %v35 = load i64, ptr %v10, align 8
  %v36 = inttoptr i64 %v35 to ptr
  %v37 = load i64, ptr %v11, align 8
  %v38 = mul i64 %v37, %v33
  %v39 = getelementptr i8, ptr %v36, i64 %v38
  %v40 = load i64, ptr %v9, align 8
  %v41 = mul i64 %v40, %v34
  %v42 = load i64, ptr %v12, align 8
  %v43 = call i64 @llvm.smin.i64(i64 %v42, i64 %v41)
  %v44 = mul i64 %v40, %v33
  %v45 = sub i64 %v43, %v44
  %v46 = icmp slt i64 %v45, 1
  br i1 %v46, label %v25, label %v31
v31:
  %v30 = phi i64 [ %v47, %v28 ], [ %v45, %v24 ]
  %v48 = phi i64 [ %v49, %v28 ], [ %v44, %v24 ]
  %v47 = add nsw i64 %v30, -1
  %v49 = add i64 %v48, 1
  %v50 = load i64, ptr %v13, align 8
  %v51 = load i64, ptr %v14, align 8
  %v52 = load i64, ptr %v15, align 8
  %v53 = load i64, ptr %v16, align 8
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = load i64, ptr %v17, align 8
  %v56 = mul i64 %v55, %v48
  %v57 = getelementptr i8, ptr %v54, i64 %v56
  %v58 = load i64, ptr %v18, align 8
  %v59 = inttoptr i64 %v58 to ptr
  %v60 = load i64, ptr %v19, align 8
  %v61 = mul i64 %v60, %v48
  %v62 = getelementptr i8, ptr %v59, i64 %v61
  %v63 = load i64, ptr %v20, align 8
  %v64 = getelementptr i8, ptr %v39, i64 %v63
  %v65 = load i64, ptr %v21, align 8
  %v66 = getelementptr i8, ptr %v39, i64 %v65
  %v67 = icmp slt i64 %v50, 1
  br i1 %v67, label %v68, label %v69
v69:
  %v70 = icmp slt i64 %v51, 1
  br label %v71
v72:
  %v73 = icmp eq i64 %v50, %v74
  br i1 %v73, label %v68, label %v71
v68:
  %v75 = load i64, ptr %v22, align 8
  %v76 = inttoptr i64 %v75 to ptr
  call void %v76(ptr %v13, ptr %v14, ptr %v64, ptr %v23, ptr %v66, ptr %v4)
  %v77 = icmp slt i64 %v50, 1
  br i1 %v77, label %v78, label %v79
v79:
  %v80 = icmp slt i64 %v51, 1
  br label %v81
v82:
  %v83 = icmp eq i64 %v50, %v84
  br i1 %v83, label %v78, label %v81
v78:
  %v85 = mul i64 %v51, %v50
  %v86 = getelementptr double, ptr %v62, i64 %v85
  %v87 = getelementptr double, ptr %v86, i64 %v52
  %v88 = icmp slt i64 %v50, 1
  br i1 %v88, label %v89, label %v90
v89:
  %v91 = icmp slt i64 %v52, 1
  br i1 %v91, label %v28, label %v92
v71:
  %v93 = phi i64 [ 0, %v69 ], [ %v74, %v72 ]
  %v74 = add nuw nsw i64 %v93, 1
  %v94 = getelementptr double, ptr %v64, i64 %v93
  br i1 %v70, label %v72, label %v95
v95:
  %v96 = mul i64 %v93, %v51
  %v97 = getelementptr double, ptr %v57, i64 %v96
  br label %v98
v98:
  %v99 = phi i64 [ 0, %v95 ], [ %v100, %v98 ]
  %v100 = add nuw nsw i64 %v99, 1
  %v101 = getelementptr double, ptr %v97, i64 %v99
  %v102 = load double, ptr %v101, align 8
  %v103 = mul i64 %v99, %v50
  %v104 = getelementptr double, ptr %v94, i64 %v103
  store double %v102, ptr %v104, align 8
  %v105 = icmp eq i64 %v51, %v100
  br i1 %v105, label %v72, label %v98
v81:
  %v106 = phi i64 [ 0, %v79 ], [ %v84, %v82 ]
  %v84 = add nuw nsw i64 %v106, 1
  %v107 = getelementptr double, ptr %v64, i64 %v106
  br i1 %v80, label %v82, label %v108
v108:
  %v109 = mul i64 %v106, %v51
  %v110 = getelementptr double, ptr %v62, i64 %v109
  br label %v111
v111:
  %v112 = phi i64 [ 0, %v108 ], [ %v113, %v111 ]
  %v113 = add nuw nsw i64 %v112, 1
  %v114 = mul i64 %v112, %v50
  %v115 = getelementptr double, ptr %v107, i64 %v114
  %v116 = load double, ptr %v115, align 8
  %v117 = getelementptr double, ptr %v110, i64 %v112
  store double %v116, ptr %v117, align 8
  %v118 = icmp eq i64 %v51, %v113
  br i1 %v118, label %v82, label %v111
v90:
  %v119 = phi i64 [ %v120, %v90 ], [ 0, %v78 ]
  %v120 = add nuw nsw i64 %v119, 1
  %v121 = uitofp i64 %v119 to double
  %v122 = getelementptr double, ptr %v87, i64 %v119
  store double %v121, ptr %v122, align 8
  %v123 = icmp eq i64 %v50, %v120
  br i1 %v123, label %v89, label %v90
v92:
  %v124 = phi i64 [ %v125, %v92 ], [ 0, %v89 ]
  %v125 = add nuw nsw i64 %v124, 1
  %v126 = getelementptr i32, ptr %v66, i64 %v124
  %v127 = load i32, ptr %v126, align 4
  %v128 = sext i32 %v127 to i64
  %v129 = sitofp i32 %v127 to double
  %v130 = getelementptr double, ptr %v86, i64 %v124
  store double %v129, ptr %v130, align 8
  %v131 = getelementptr double, ptr %v87, i64 %v124
  %v132 = load double, ptr %v131, align 8
  %v133 = getelementptr double, ptr %v87, i64 %v128
  %v134 = getelementptr i8, ptr %v133, i64 -8
  %v135 = load double, ptr %v134, align 8
  store double %v135, ptr %v131, align 8
  store double %v132, ptr %v134, align 8
  %v136 = icmp eq i64 %v52, %v125
  br i1 %v136, label %v28, label %v92
v7:
  ret i32 0
}

declare float @llvm.fabs.f32(float)

define i32 @adjugate_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 80
  %v15 = getelementptr i8, ptr %v9, i64 32
  %v16 = getelementptr i8, ptr %v9, i64 40
  %v17 = getelementptr i8, ptr %v9, i64 48
  %v18 = getelementptr i8, ptr %v9, i64 56
  %v19 = getelementptr i8, ptr %v9, i64 96
  %v20 = getelementptr i8, ptr %v9, i64 104
  %v21 = getelementptr i8, ptr %v9, i64 88
  %v22 = getelementptr i8, ptr %v9, i64 72
  br label %v23
v24:
  %v25 = icmp sgt i64 %v26, 1
  br i1 %v25, label %v23, label %v7
v27:
  %v28 = icmp sgt i64 %v29, 1
  br i1 %v28, label %v30, label %v24
v23:
  %v26 = phi i64 [ %v5, %v8 ], [ %v31, %v24 ]
  %v32 = phi i64 [ %v1, %v8 ], [ %v33, %v24 ]
  %v31 = add nsw i64 %v26, -1
  %v33 = add i64 %v32, 1
  %v34 = load i64, ptr %v10, align 8
  %v35 = inttoptr i64 %v34 to ptr
  %v36 = load i64, ptr %v11, align 8
  %v37 = mul i64 %v36, %v32
  %v38 = getelementptr i8, ptr %v35, i64 %v37
  %v39 = load i64, ptr %v9, align 8
  %v40 = mul i64 %v39, %v33
  %v41 = load i64, ptr %v12, align 8
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %v40)
  %v43 = mul i64 %v39, %v32
  %v44 = sub i64 %v42, %v43
  %v45 = icmp slt i64 %v44, 1
  br i1 %v45, label %v24, label %v30
v30:
  %v29 = phi i64 [ %v46, %v27 ], [ %v44, %v23 ]
  %v47 = phi i64 [ %v48, %v27 ], [ %v43, %v23 ]
  %v46 = add nsw i64 %v29, -1
  %v48 = add i64 %v47, 1
  %v49 = load i64, ptr %v13, align 8
  %v50 = load i64, ptr %v14, align 8
  %v51 = getelementptr i8, ptr %v38, i64 %v50
  %v52 = load i64, ptr %v15, align 8
  %v53 = inttoptr i64 %v52 to ptr
  %v54 = load i64, ptr %v16, align 8
  %v55 = mul i64 %v54, %v47
  %v56 = getelementptr i8, ptr %v53, i64 %v55
  %v57 = load i64, ptr %v17, align 8
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = load i64, ptr %v18, align 8
  %v60 = mul i64 %v59, %v47
  %v61 = getelementptr i8, ptr %v58, i64 %v60
  %v62 = mul i64 %v49, %v49
  %v63 = icmp slt i64 %v62, 1
  br i1 %v63, label %v64, label %v65
v65:
  %v66 = phi i64 [ %v67, %v65 ], [ 0, %v30 ]
  %v67 = add nuw nsw i64 %v66, 1
  %v68 = getelementptr float, ptr %v56, i64 %v66
  %v69 = load float, ptr %v68, align 4
  %v70 = getelementptr float, ptr %v61, i64 %v66
  store float %v69, ptr %v70, align 4
  %v71 = icmp eq i64 %v62, %v67
  br i1 %v71, label %v64, label %v65
v64:
  %v72 = load i64, ptr %v19, align 8
  %v73 = inttoptr i64 %v72 to ptr
  call void %v73(ptr %v13, ptr %v13, ptr %v61, ptr %v13, ptr %v51, ptr %v4)
  %v74 = icmp slt i64 %v49, 1
  br i1 %v74, label %v75, label %v76
v76:
  %v77 = add nuw i64 %v49, 1
  br label %v78
v75:
  %v79 = phi float [ 0.000000e+00, %v64 ], [ %v80, %v78 ]
  %v81 = fcmp ogt float %v79, 0.000000e+00
  %v82 = fmul float %v79, 0x3E80000000000000
  %v83 = select i1 %v81, float %v82, float 0x3E80000000000000
  %v84 = icmp slt i64 %v49, 1
  br i1 %v84, label %v85, label %v86
v86:
  %v87 = add nuw i64 %v49, 1
  br label %v88
v85:
  %v89 = phi float [ 1.000000e+00, %v75 ], [ %v90, %v88 ]
  %v91 = icmp slt i64 %v49, 1
  br i1 %v91, label %v92, label %v93
v93:
  %v94 = phi i64 [ %v95, %v93 ], [ 0, %v85 ]
  %v96 = phi i64 [ %v97, %v93 ], [ 0, %v85 ]
  %v97 = add nuw nsw i64 %v96, 1
  %v98 = getelementptr i32, ptr %v51, i64 %v96
  %v99 = load i32, ptr %v98, align 4
  %v100 = sext i32 %v99 to i64
  %v101 = icmp ne i64 %v97, %v100
  %v102 = zext i1 %v101 to i64
  %v95 = xor i64 %v94, %v102
  %v103 = icmp eq i64 %v49, %v97
  br i1 %v103, label %v104, label %v93
v104:
  %v105 = icmp eq i64 %v94, %v102
  br label %v92
v92:
  %v106 = phi i1 [ true, %v85 ], [ %v105, %v104 ]
  %v107 = fneg float %v89
  %v108 = select i1 %v106, float %v89, float %v107
  %v109 = load i64, ptr %v20, align 8
  %v110 = load i64, ptr %v21, align 8
  %v111 = getelementptr i8, ptr %v38, i64 %v110
  %v112 = inttoptr i64 %v109 to ptr
  call void %v112(ptr %v13, ptr %v61, ptr %v13, ptr %v51, ptr %v111, ptr %v22, ptr %v4)
  %v113 = icmp slt i64 %v62, 1
  br i1 %v113, label %v27, label %v114
v78:
  %v115 = phi float [ 0.000000e+00, %v76 ], [ %v80, %v78 ]
  %v116 = phi i64 [ 0, %v76 ], [ %v117, %v78 ]
  %v117 = add nuw nsw i64 %v116, 1
  %v118 = mul i64 %v116, %v77
  %v119 = getelementptr float, ptr %v61, i64 %v118
  %v120 = load float, ptr %v119, align 4
  %v121 = call float @llvm.fabs.f32(float %v120)
  %v122 = fcmp ogt float %v121, %v115
  %v80 = select i1 %v122, float %v121, float %v115
  %v123 = icmp eq i64 %v49, %v117
  br i1 %v123, label %v75, label %v78
v88:
  %v124 = phi float [ 1.000000e+00, %v86 ], [ %v90, %v88 ]
  %v125 = phi i64 [ 0, %v86 ], [ %v126, %v88 ]
  %v126 = add nuw nsw i64 %v125, 1
  %v127 = mul i64 %v125, %v87
  %v128 = getelementptr float, ptr %v61, i64 %v127
  %v129 = load float, ptr %v128, align 4
  %v130 = fcmp oeq float %v129, 0.000000e+00
  %v131 = select i1 %v130, float %v83, float %v129
  store float %v131, ptr %v128, align 4
  %v90 = fmul float %v124, %v131
  %v132 = icmp eq i64 %v49, %v126
  br i1 %v132, label %v85, label %v88
v114:
  %v133 = phi i64 [ %v134, %v114 ], [ 0, %v92 ]
  %v134 = add nuw nsw i64 %v133, 1
  %v135 = getelementptr float, ptr %v61, i64 %v133
  %v136 = load float, ptr %v135, align 4
  %v137 = fmul float %v108, %v136
  store float %v137, ptr %v135, align 4
  %v138 = icmp eq i64 %v62, %v134
  br i1 %v138, label %v27, label %v114
v7:
  ret i32 0
}

declare double @llvm.fabs.f64(double)

define i32 @adjugate_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 80
  %v15 = getelementptr i8, ptr %v9, i64 32
  %v16 = getelementptr i8, ptr %v9, i64 40
  %v17 = getelementptr i8, ptr %v9, i64 48
  %v18 = getelementptr i8, ptr %v9, i64 56
  %v19 = getelementptr i8, ptr %v9, i64 96
  %v20 = getelementptr i8, ptr %v9, i64 104
  %v21 = getelementptr i8, ptr %v9, i64 88
  %v22 = getelementptr i8, ptr %v9, i64 72
  br label %v23
v24:
  %v25 = icmp sgt i64 %v26, 1
  br i1 %v25, label %v23, label %v7
v27:
  %v28 = icmp sgt i64 %v29, 1
  br i1 %v28, label %v30, label %v24
v23:
  %v26 = phi i64 [ %v5, %v8 ], [ %v31, %v24 ]
  %v32 = phi i64 [ %v1, %v8 ], [ %v33, %v24 ]
  %v31 = add nsw i64 %v26, -1
  %v33 = add i64 %v32, 1
  %v34 = load i64, ptr %v10, align 8
  %v35 = inttoptr i64 %v34 to ptr
  %v36 = load i64, ptr %v11, align 8
  %v37 = mul i64 %v36, %v32
  %v38 = getelementptr i8, ptr %v35, i64 %v37
  %v39 = load i64, ptr %v9, align 8
  %v40 = mul i64 %v39, %v33
  %v41 = load i64, ptr %v12, align 8
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %v40)
  %v43 = mul i64 %v39, %v32
  %v44 = sub i64 %v42, %v43
  %v45 = icmp slt i64 %v44, 1
  br i1 %v45, label %v24, label %v30
v30:
  %v29 = phi i64 [ %v46, %v27 ], [ %v44, %v23 ]
  %v47 = phi i64 [ %v48, %v27 ], [ %v43, %v23 ]
  %v46 = add nsw i64 %v29, -1
  %v48 = add i64 %v47, 1
  %v49 = load i64, ptr %v13, align 8
  %v50 = load i64, ptr %v14, align 8
  %v51 = getelementptr i8, ptr %v38, i64 %v50
  %v52 = load i64, ptr %v15, align 8
  %v53 = inttoptr i64 %v52 to ptr
  %v54 = load i64, ptr %v16, align 8
  %v55 = mul i64 %v54, %v47
  %v56 = getelementptr i8, ptr %v53, i64 %v55
  %v57 = load i64, ptr %v17, align 8
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = load i64, ptr %v18, align 8
  %v60 = mul i64 %v59, %v47
  %v61 = getelementptr i8, ptr %v58, i64 %v60
  %v62 = mul i64 %v49, %v49
  %v63 = icmp slt i64 %v62, 1
  br i1 %v63, label %v64, label %v65
v65:
  %v66 = phi i64 [ %v67, %v65 ], [ 0, %v30 ]
  %v67 = add nuw nsw i64 %v66, 1
  %v68 = getelementptr double, ptr %v56, i64 %v66
  %v69 = load double, ptr %v68, align 8
  %v70 = getelementptr double, ptr %v61, i64 %v66
  store double %v69, ptr %v70, align 8
  %v71 = icmp eq i64 %v62, %v67
  br i1 %v71, label %v64, label %v65
v64:
  %v72 = load i64, ptr %v19, align 8
  %v73 = inttoptr i64 %v72 to ptr
  call void %v73(ptr %v13, ptr %v13, ptr %v61, ptr %v13, ptr %v51, ptr %v4)
  %v74 = icmp slt i64 %v49, 1
  br i1 %v74, label %v75, label %v76
v76:
  %v77 = add nuw i64 %v49, 1
  br label %v78
v75:
  %v79 = phi double [ 0.000000e+00, %v64 ], [ %v80, %v78 ]
  %v81 = fcmp ogt double %v79, 0.000000e+00
  %v82 = fmul double %v79, 0x3CB0000000000000
  %v83 = select i1 %v81, double %v82, double 0x3CB0000000000000
  %v84 = icmp slt i64 %v49, 1
  br i1 %v84, label %v85, label %v86
v86:
  %v87 = add nuw i64 %v49, 1
  br label %v88
v85:
  %v89 = phi double [ 1.000000e+00, %v75 ], [ %v90, %v88 ]
  %v91 = icmp slt i64 %v49, 1
  br i1 %v91, label %v92, label %v93
v93:
  %v94 = phi i64 [ %v95, %v93 ], [ 0, %v85 ]
  %v96 = phi i64 [ %v97, %v93 ], [ 0, %v85 ]
  %v97 = add nuw nsw i64 %v96, 1
  %v98 = getelementptr i32, ptr %v51, i64 %v96
  %v99 = load i32, ptr %v98, align 4
  %v100 = sext i32 %v99 to i64
  %v101 = icmp ne i64 %v97, %v100
  %v102 = zext i1 %v101 to i64
  %v95 = xor i64 %v94, %v102
  %v103 = icmp eq i64 %v49, %v97
  br i1 %v103, label %v104, label %v93
v104:
  %v105 = icmp eq i64 %v94, %v102
  br label %v92
v92:
  %v106 = phi i1 [ true, %v85 ], [ %v105, %v104 ]
  %v107 = fneg double %v89
  %v108 = select i1 %v106, double %v89, double %v107
  %v109 = load i64, ptr %v20, align 8
  %v110 = load i64, ptr %v21, align 8
  %v111 = getelementptr i8, ptr %v38, i64 %v110
  %v112 = inttoptr i64 %v109 to ptr
  call void %v112(ptr %v13, ptr %v61, ptr %v13, ptr %v51, ptr %v111, ptr %v22, ptr %v4)
  %v113 = icmp slt i64 %v62, 1
  br i1 %v113, label %v27, label %v114
v78:
  %v115 = phi double [ 0.000000e+00, %v76 ], [ %v80, %v78 ]
  %v116 = phi i64 [ 0, %v76 ], [ %v117, %v78 ]
  %v117 = add nuw nsw i64 %v116, 1
  %v118 = mul i64 %v116, %v77
  %v119 = getelementptr double, ptr %v61, i64 %v118
  %v120 = load double, ptr %v119, align 8
  %v121 = call double @llvm.fabs.f64(double %v120)
  %v122 = fcmp ogt double %v121, %v115
  %v80 = select i1 %v122, double %v121, double %v115
  %v123 = icmp eq i64 %v49, %v117
  br i1 %v123, label %v75, label %v78
v88:
  %v124 = phi double [ 1.000000e+00, %v86 ], [ %v90, %v88 ]
  %v125 = phi i64 [ 0, %v86 ], [ %v126, %v88 ]
  %v126 = add nuw nsw i64 %v125, 1
  %v127 = mul i64 %v125, %v87
  %v128 = getelementptr double, ptr %v61, i64 %v127
  %v129 = load double, ptr %v128, align 8
  %v130 = fcmp oeq double %v129, 0.000000e+00
  %v131 = select i1 %v130, double %v83, double %v129
  store double %v131, ptr %v128, align 8
  %v90 = fmul double %v124, %v131
  %v132 = icmp eq i64 %v49, %v126
  br i1 %v132, label %v85, label %v88
v114:
  %v133 = phi i64 [ %v134, %v114 ], [ 0, %v92 ]
  %v134 = add nuw nsw i64 %v133, 1
  %v135 = getelementptr double, ptr %v61, i64 %v133
  %v136 = load double, ptr %v135, align 8
  %v137 = fmul double %v108, %v136
  store double %v137, ptr %v135, align 8
  %v138 = icmp eq i64 %v62, %v134
  br i1 %v138, label %v27, label %v114
v7:
  ret i32 0
}

define i32 @qr_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 72
  %v15 = getelementptr i8, ptr %v9, i64 96
  %v16 = getelementptr i8, ptr %v9, i64 48
  %v17 = getelementptr i8, ptr %v9, i64 56
  %v18 = getelementptr i8, ptr %v9, i64 112
  %v19 = getelementptr i8, ptr %v9, i64 120
  %v20 = getelementptr i8, ptr %v9, i64 128
  %v21 = getelementptr i8, ptr %v9, i64 32
  %v22 = getelementptr i8, ptr %v9, i64 40
  %v23 = getelementptr i8, ptr %v9, i64 136
  %v24 = getelementptr i8, ptr %v9, i64 80
  %v25 = getelementptr i8, ptr %v9, i64 104
  %v26 = getelementptr i8, ptr %v9, i64 88
  %v27 = getelementptr i8, ptr %v9, i64 144
  %v28 = getelementptr i8, ptr %v9, i64 88
  br label %v29
v30:
  %v31 = icmp sgt i64 %v32, 1
  br i1 %v31, label %v29, label %v7
v29:
  %v32 = phi i64 [ %v5, %v8 ], [ %v33, %v30 ]
  %v34 = phi i64 [ %v1, %v8 ], [ %v35, %v30 ]
  %v33 = add nsw i64 %v32, -1
  %v35 = add i64 %v34, 1
  %v36 = load i64, ptr %v10, align 8
  %v37 = inttoptr i64 %v36 to ptr
  %v38 = load i64, ptr %v11, align 8
  %v39 = mul i64 %v38, %v34
  %v40 = getelementptr i8, ptr %v37, i64 %v39
  %v41 = load i64, ptr %v9, align 8
  %v42 = mul i64 %v41, %v35
  %v43 = load i64, ptr %v12, align 8
  %v44 = call i64 @llvm.smin.i64(i64 %v43, i64 %v42)
  %v45 = mul i64 %v41, %v34
  %v46 = sub i64 %v44, %v45
  %v47 = icmp slt i64 %v46, 1
  br i1 %v47, label %v30, label %v48
v48:
  %v49 = phi i64 [ %v50, %v51 ], [ %v46, %v29 ]
  %v52 = phi i64 [ %v53, %v51 ], [ %v45, %v29 ]
  %v50 = add nsw i64 %v49, -1
  %v53 = add i64 %v52, 1
  %v54 = load i64, ptr %v13, align 8
  %v55 = load i64, ptr %v14, align 8
  %v56 = load i64, ptr %v15, align 8
  %v57 = load i64, ptr %v16, align 8
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = load i64, ptr %v17, align 8
  %v60 = mul i64 %v59, %v52
  %v61 = getelementptr i8, ptr %v58, i64 %v60
  %v62 = load i64, ptr %v18, align 8
  %v63 = getelementptr i8, ptr %v40, i64 %v62
  %v64 = load i64, ptr %v19, align 8
  %v65 = getelementptr i8, ptr %v40, i64 %v64
  %v66 = load i64, ptr %v20, align 8
  %v67 = getelementptr i8, ptr %v40, i64 %v66
  %v68 = load i64, ptr %v21, align 8
  %v69 = inttoptr i64 %v68 to ptr
  %v70 = load i64, ptr %v22, align 8
  %v71 = mul i64 %v70, %v52
  %v72 = getelementptr i8, ptr %v69, i64 %v71
  %v73 = mul i64 %v55, %v54
  %v74 = icmp slt i64 %v73, 1
  br i1 %v74, label %v75, label %v76
v76:
  %v77 = phi i64 [ %v78, %v76 ], [ 0, %v48 ]
  %v78 = add nuw nsw i64 %v77, 1
  %v79 = getelementptr float, ptr %v72, i64 %v77
  %v80 = load float, ptr %v79, align 4
  %v81 = getelementptr float, ptr %v63, i64 %v77
  store float %v80, ptr %v81, align 4
  %v82 = icmp eq i64 %v73, %v78
  br i1 %v82, label %v75, label %v76
v75:
  %v83 = load i64, ptr %v23, align 8
  %v84 = inttoptr i64 %v83 to ptr
  call void %v84(ptr %v14, ptr %v13, ptr %v63, ptr %v24, ptr %v65, ptr %v67, ptr %v25, ptr %v4)
  %v85 = mul i64 %v56, %v54
  %v86 = getelementptr float, ptr %v61, i64 %v85
  %v87 = icmp slt i64 %v56, 1
  br i1 %v87, label %v88, label %v89
v89:
  %v90 = icmp slt i64 %v55, 1
  br label %v91
v92:
  %v93 = icmp eq i64 %v94, %v56
  br i1 %v93, label %v88, label %v91
v95:
  %v96 = getelementptr float, ptr %v97, i64 %v98
  %v99 = load float, ptr %v96, align 4
  br label %v100
v100:
  %v101 = phi float [ %v99, %v95 ], [ 0.000000e+00, %v102 ]
  %v103 = getelementptr float, ptr %v104, i64 %v98
  store float %v101, ptr %v103, align 4
  %v105 = icmp eq i64 %v55, %v106
  br i1 %v105, label %v92, label %v102
v88:
  %v107 = icmp slt i64 %v54, 1
  br i1 %v107, label %v51, label %v108
v109:
  %v110 = icmp eq i64 %v54, %v111
  br i1 %v110, label %v51, label %v108
v91:
  %v112 = phi i64 [ 0, %v89 ], [ %v94, %v92 ]
  %v94 = add nuw nsw i64 %v112, 1
  br i1 %v90, label %v92, label %v113
v113:
  %v114 = mul i64 %v112, %v55
  %v97 = getelementptr float, ptr %v63, i64 %v114
  %v115 = mul i64 %v112, %v55
  %v104 = getelementptr float, ptr %v86, i64 %v115
  br label %v102
v102:
  %v98 = phi i64 [ 0, %v113 ], [ %v106, %v100 ]
  %v106 = add nuw nsw i64 %v98, 1
  %v116 = icmp ult i64 %v98, %v112
  br i1 %v116, label %v100, label %v95
v108:
  %v117 = phi i64 [ %v111, %v109 ], [ 0, %v88 ]
  %v111 = add nuw nsw i64 %v117, 1
  %v118 = load i64, ptr %v26, align 8
  %v119 = icmp slt i64 %v118, 1
  br i1 %v119, label %v109, label %v120
v120:
  %v121 = mul i64 %v117, %v55
  %v122 = getelementptr float, ptr %v63, i64 %v121
  %v123 = mul i64 %v117, %v56
  %v124 = getelementptr float, ptr %v61, i64 %v123
  br label %v125
v125:
  %v126 = phi i64 [ 0, %v120 ], [ %v127, %v125 ]
  %v127 = add nuw nsw i64 %v126, 1
  %v128 = getelementptr float, ptr %v122, i64 %v126
  %v129 = load float, ptr %v128, align 4
  %v130 = getelementptr float, ptr %v124, i64 %v126
  store float %v129, ptr %v130, align 4
  %v131 = icmp eq i64 %v127, %v118
  br i1 %v131, label %v109, label %v125
v51:
  %v132 = load i64, ptr %v27, align 8
  %v133 = inttoptr i64 %v132 to ptr
  call void %v133(ptr %v15, ptr %v13, ptr %v28, ptr %v61, ptr %v15, ptr %v65, ptr %v67, ptr %v25, ptr %v4)
  %v134 = icmp sgt i64 %v49, 1
  br i1 %v134, label %v48, label %v30
v7:
  ret i32 0
}

define i32 @eigh_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 64
  %v14 = getelementptr i8, ptr %v9, i64 48
  %v15 = getelementptr i8, ptr %v9, i64 56
  %v16 = getelementptr i8, ptr %v9, i64 104
  %v17 = getelementptr i8, ptr %v9, i64 112
  %v18 = getelementptr i8, ptr %v9, i64 32
  %v19 = getelementptr i8, ptr %v9, i64 40
  %v20 = getelementptr i8, ptr %v9, i64 120
  %v21 = getelementptr i8, ptr %v9, i64 72
  %v22 = getelementptr i8, ptr %v9, i64 80
  %v23 = getelementptr i8, ptr %v9, i64 88
  %v24 = getelementptr i8, ptr %v9, i64 96
  br label %v25
v26:
  %v27 = icmp sgt i64 %v28, 1
  br i1 %v27, label %v25, label %v7
v29:
  %v30 = phi i64 [ %v31, %v25 ], [ %v32, %v33 ]
  %v34 = phi i64 [ %v35, %v25 ], [ %v36, %v33 ]
  %v37 = icmp sgt i64 %v34, 0
  br i1 %v37, label %v38, label %v26
v25:
  %v28 = phi i64 [ %v5, %v8 ], [ %v39, %v26 ]
  %v40 = phi i64 [ %v1, %v8 ], [ %v41, %v26 ]
  %v39 = add nsw i64 %v28, -1
  %v41 = add i64 %v40, 1
  %v42 = load i64, ptr %v10, align 8
  %v43 = inttoptr i64 %v42 to ptr
  %v44 = load i64, ptr %v11, align 8
  %v45 = mul i64 %v44, %v40
  %v46 = getelementptr i8, ptr %v43, i64 %v45
  %v47 = load i64, ptr %v9, align 8
  %v48 = mul i64 %v47, %v41
  %v49 = load i64, ptr %v12, align 8
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 %v48)
  %v31 = mul i64 %v47, %v40
  %v51 = sub i64 %v50, %v31
  %v35 = call i64 @llvm.smax.i64(i64 %v51, i64 0)
  br label %v29
v38:
  %v36 = add nsw i64 %v34, -1
  %v32 = add i64 %v30, 1
  %v52 = load i64, ptr %v13, align 8
  %v53 = load i64, ptr %v14, align 8
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = load i64, ptr %v15, align 8
  %v56 = mul i64 %v55, %v30
  %v57 = getelementptr i8, ptr %v54, i64 %v56
  %v58 = load i64, ptr %v16, align 8
  %v59 = getelementptr i8, ptr %v46, i64 %v58
  %v60 = load i64, ptr %v17, align 8
  %v61 = getelementptr i8, ptr %v46, i64 %v60
  %v62 = load i64, ptr %v18, align 8
  %v63 = inttoptr i64 %v62 to ptr
  %v64 = load i64, ptr %v19, align 8
  %v65 = mul i64 %v64, %v30
  %v66 = getelementptr i8, ptr %v63, i64 %v65
  %v67 = getelementptr float, ptr %v57, i64 %v52
  %v68 = mul i64 %v52, %v52
  %v69 = icmp slt i64 %v68, 1
  br i1 %v69, label %v33, label %v70
v70:
  %v71 = phi i64 [ %v72, %v70 ], [ 0, %v38 ]
  %v72 = add nuw nsw i64 %v71, 1
  %v73 = getelementptr float, ptr %v66, i64 %v71
  %v74 = load float, ptr %v73, align 4
  %v75 = getelementptr float, ptr %v67, i64 %v71
  store float %v74, ptr %v75, align 4
  %v76 = icmp eq i64 %v68, %v72
  br i1 %v76, label %v33, label %v70
v33:
  %v77 = load i64, ptr %v20, align 8
  %v78 = inttoptr i64 %v77 to ptr
  call void %v78(ptr %v21, ptr %v22, ptr %v13, ptr %v67, ptr %v13, ptr %v57, ptr %v59, ptr %v23, ptr %v61, ptr %v24, ptr %v4)
  %v79 = load i32, ptr %v4, align 8
  %v80 = icmp eq i32 %v79, 0
  br i1 %v80, label %v29, label %v7
v7:
  %v81 = phi i32 [ 5, %v33 ], [ 0, %v3 ], [ 0, %v26 ]
  ret i32 %v81
}

define i32 @svd_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i32 0, ptr %v4, align 8
  %v5 = sub i64 %v2, %v1
  %v6 = icmp slt i64 %v5, 1
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 24
  %v11 = getelementptr i8, ptr %v9, i64 16
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = getelementptr i8, ptr %v9, i64 32
  %v14 = getelementptr i8, ptr %v9, i64 40
  %v15 = getelementptr i8, ptr %v9, i64 120
  %v16 = getelementptr i8, ptr %v9, i64 64
  %v17 = getelementptr i8, ptr %v9, i64 72
  %v18 = getelementptr i8, ptr %v9, i64 48
  %v19 = getelementptr i8, ptr %v9, i64 56
  %v20 = getelementptr i8, ptr %v9, i64 128
  %v21 = getelementptr i8, ptr %v9, i64 136
  %v22 = getelementptr i8, ptr %v9, i64 88
  %v23 = getelementptr i8, ptr %v9, i64 104
  %v24 = getelementptr i8, ptr %v9, i64 144
  %v25 = getelementptr i8, ptr %v9, i64 80
  %v26 = getelementptr i8, ptr %v9, i64 96
  %v27 = getelementptr i8, ptr %v9, i64 112
  br label %v28
v29:
  %v30 = icmp sgt i64 %v31, 1
  br i1 %v30, label %v28, label %v7
v32:
  %v33 = phi i64 [ %v34, %v28 ], [ %v35, %v36 ]
  %v37 = phi i64 [ %v38, %v28 ], [ %v39, %v36 ]
  %v40 = icmp sgt i64 %v37, 0
  br i1 %v40, label %v41, label %v29
v28:
  %v31 = phi i64 [ %v5, %v8 ], [ %v42, %v29 ]
  %v43 = phi i64 [ %v1, %v8 ], [ %v44, %v29 ]
  %v42 = add nsw i64 %v31, -1
  %v44 = add i64 %v43, 1
  %v45 = load i64, ptr %v10, align 8
  %v46 = inttoptr i64 %v45 to ptr
  %v47 = load i64, ptr %v11, align 8
  %v48 = mul i64 %v47, %v43
  %v49 = getelementptr i8, ptr %v46, i64 %v48
  %v50 = load i64, ptr %v9, align 8
  %v51 = mul i64 %v50, %v44
  %v52 = load i64, ptr %v12, align 8
  %v53 = call i64 @llvm.smin.i64(i64 %v52, i64 %v51)
  %v34 = mul i64 %v50, %v43
  %v54 = sub i64 %v53, %v34
  %v38 = call i64 @llvm.smax.i64(i64 %v54, i64 0)
  br label %v32
v41:
  %v39 = add nsw i64 %v37, -1
  %v35 = add i64 %v33, 1
  %v55 = load i64, ptr %v13, align 8
  %v56 = inttoptr i64 %v55 to ptr
  %v57 = load i64, ptr %v14, align 8
  %v58 = mul i64 %v57, %v33
  %v59 = getelementptr i8, ptr %v56, i64 %v58
  %v60 = load i64, ptr %v15, align 8
  %v61 = getelementptr i8, ptr %v49, i64 %v60
  %v62 = load i64, ptr %v16, align 8
  %v63 = load i64, ptr %v17, align 8
  %v64 = mul i64 %v63, %v62
  %v65 = icmp slt i64 %v64, 1
  br i1 %v65, label %v36, label %v66
v66:
  %v67 = phi i64 [ %v68, %v66 ], [ 0, %v41 ]
  %v68 = add nuw nsw i64 %v67, 1
  %v69 = getelementptr float, ptr %v59, i64 %v67
  %v70 = load float, ptr %v69, align 4
  %v71 = getelementptr float, ptr %v61, i64 %v67
  store float %v70, ptr %v71, align 4
  %v72 = icmp eq i64 %v64, %v68
  br i1 %v72, label %v36, label %v66
v36:
  %v73 = load i64, ptr %v18, align 8
  %v74 = inttoptr i64 %v73 to ptr
  %v75 = load i64, ptr %v19, align 8
  %v76 = mul i64 %v75, %v33
  %v77 = getelementptr i8, ptr %v74, i64 %v76
  %v78 = load i64, ptr %v20, align 8
  %v79 = getelementptr i8, ptr %v49, i64 %v78
  %v80 = load i64, ptr %v21, align 8
  %v81 = getelementptr i8, ptr %v49, i64 %v80
  %v82 = load i64, ptr %v22, align 8
  %v83 = getelementptr float, ptr %v77, i64 %v82
  %v84 = load i64, ptr %v23, align 8
  %v85 = getelementptr float, ptr %v83, i64 %v84
  %v86 = load i64, ptr %v24, align 8
  %v87 = inttoptr i64 %v86 to ptr
  call void %v87(ptr %v25, ptr %v17, ptr %v16, ptr %v61, ptr %v17, ptr %v77, ptr %v85, ptr %v17, ptr %v83, ptr %v26, ptr %v79, ptr %v27, ptr %v81, ptr %v4)
  %v88 = load i32, ptr %v4, align 8
  %v89 = icmp eq i32 %v88, 0
  br i1 %v89, label %v32, label %v7
v7:
  %v90 = phi i32 [ 5, %v36 ], [ 0, %v3 ], [ 0, %v29 ]
  ret i32 %v90
}

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)
