; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @cumsum_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = getelementptr i8, ptr %v4, i64 8
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 1
  %v12 = sub i64 %v2, %v1
  br i1 %v11, label %v13, label %v14
v14:
  %v15 = icmp slt i64 %v12, 1
  br i1 %v15, label %v7, label %v16
v16:
  %v17 = getelementptr i8, ptr %v4, i64 16
  %v18 = getelementptr i8, ptr %v4, i64 24
  %v19 = getelementptr i8, ptr %v4, i64 32
  br label %v20
v21:
  %v22 = icmp sgt i64 %v23, 1
  br i1 %v22, label %v20, label %v7
v13:
  %v24 = and i64 %v12, 1
  %v25 = lshr i64 %v12, 1
  %v26 = add nuw nsw i64 %v25, %v24
  %v27 = icmp slt i64 %v12, 1
  %v28 = icmp eq i64 %v26, 0
  %v29 = select i1 %v27, i1 true, i1 %v28
  br i1 %v29, label %v7, label %v30
v30:
  %v31 = getelementptr i8, ptr %v4, i64 24
  %v32 = getelementptr i8, ptr %v4, i64 32
  %v33 = getelementptr i8, ptr %v4, i64 16
  br label %v34
v35:
  %v36 = icmp sgt i64 %v37, 1
  br i1 %v36, label %v34, label %v7
v20:
  %v23 = phi i64 [ %v12, %v16 ], [ %v38, %v21 ]
  %v39 = phi i64 [ %v1, %v16 ], [ %v40, %v21 ]
  %v38 = add nsw i64 %v23, -1
  %v40 = add i64 %v39, 1
  %v41 = load i64, ptr %v4, align 8
  %v42 = load i64, ptr %v9, align 8
  %v43 = load i64, ptr %v17, align 8
  %v44 = icmp eq i64 %v43, 0
  %v45 = sub i64 0, %v42
  %v46 = select i1 %v44, i64 %v42, i64 %v45
  %v47 = add i64 %v43, %v39
  %v48 = mul i64 %v47, %v41
  %v49 = sub i64 %v48, %v43
  %v50 = mul i64 %v49, %v42
  %v51 = load i64, ptr %v18, align 8
  %v52 = inttoptr i64 %v51 to ptr
  %v53 = getelementptr float, ptr %v52, i64 %v50
  %v54 = load i64, ptr %v19, align 8
  %v55 = inttoptr i64 %v54 to ptr
  %v56 = getelementptr float, ptr %v55, i64 %v50
  %v57 = add i64 %v41, -1
  %v58 = icmp slt i64 %v42, 1
  br i1 %v58, label %v59, label %v60
v59:
  %v61 = icmp slt i64 %v57, 1
  br i1 %v61, label %v21, label %v62
v62:
  %v63 = icmp slt i64 %v42, 1
  br label %v64
v65:
  %v66 = icmp sgt i64 %v67, 1
  br i1 %v66, label %v64, label %v21
v60:
  %v68 = phi i64 [ %v69, %v60 ], [ 0, %v20 ]
  %v69 = add nuw nsw i64 %v68, 1
  %v70 = getelementptr float, ptr %v53, i64 %v68
  %v71 = load float, ptr %v70, align 4
  %v72 = getelementptr float, ptr %v56, i64 %v68
  store float %v71, ptr %v72, align 4
  %v73 = icmp eq i64 %v42, %v69
  br i1 %v73, label %v59, label %v60
v64:
  %v74 = phi ptr [ %v53, %v62 ], [ %v75, %v65 ]
  %v76 = phi ptr [ %v56, %v62 ], [ %v77, %v65 ]
  %v67 = phi i64 [ %v57, %v62 ], [ %v78, %v65 ]
  %v78 = add nsw i64 %v67, -1
  %v77 = getelementptr float, ptr %v76, i64 %v46
  %v75 = getelementptr float, ptr %v74, i64 %v46
  br i1 %v63, label %v65, label %v79
v79:
  %v80 = phi i64 [ %v81, %v79 ], [ 0, %v64 ]
  %v81 = add nuw nsw i64 %v80, 1
  %v82 = getelementptr float, ptr %v76, i64 %v80
  %v83 = load float, ptr %v82, align 4
  %v84 = getelementptr float, ptr %v75, i64 %v80
  %v85 = load float, ptr %v84, align 4
  %v86 = fadd float %v83, %v85
  %v87 = getelementptr float, ptr %v77, i64 %v80
  store float %v86, ptr %v87, align 4
  %v88 = icmp eq i64 %v42, %v81
  br i1 %v88, label %v65, label %v79
v34:
  %v37 = phi i64 [ %v26, %v30 ], [ %v89, %v35 ]
  %v90 = phi i64 [ %v1, %v30 ], [ %v91, %v35 ]
  %v89 = add nsw i64 %v37, -1
  %v91 = add i64 %v90, 2
  %v92 = sub i64 %v2, %v90
  %v93 = call i64 @llvm.smin.i64(i64 %v92, i64 2)
  %v94 = load i64, ptr %v4, align 8
  %v95 = load i64, ptr %v31, align 8
  %v96 = inttoptr i64 %v95 to ptr
  %v97 = load i64, ptr %v32, align 8
  %v98 = inttoptr i64 %v97 to ptr
  %v99 = load i64, ptr %v33, align 8
  %v100 = icmp eq i64 %v99, 0
  %v101 = select i1 %v100, i64 1, i64 -1
  %v102 = add i64 %v99, %v90
  %v103 = mul i64 %v102, %v94
  %v104 = sub i64 %v103, %v99
  %v105 = add i64 %v94, -1
  %v106 = add i64 %v93, -1
  %v107 = mul i64 %v94, %v106
  %v108 = getelementptr float, ptr %v96, i64 %v104
  %v109 = load float, ptr %v108, align 4
  %v110 = add i64 %v104, %v107
  %v111 = getelementptr float, ptr %v96, i64 %v110
  %v112 = load float, ptr %v111, align 4
  %v113 = getelementptr float, ptr %v98, i64 %v104
  store float %v109, ptr %v113, align 4
  %v114 = getelementptr float, ptr %v98, i64 %v110
  store float %v112, ptr %v114, align 4
  %v115 = icmp slt i64 %v105, 1
  br i1 %v115, label %v35, label %v116
v116:
  %v117 = phi float [ %v118, %v116 ], [ %v109, %v34 ]
  %v119 = phi float [ %v120, %v116 ], [ %v112, %v34 ]
  %v121 = phi i64 [ %v122, %v116 ], [ %v104, %v34 ]
  %v123 = phi i64 [ %v124, %v116 ], [ %v105, %v34 ]
  %v124 = add nsw i64 %v123, -1
  %v122 = add i64 %v121, %v101
  %v125 = getelementptr float, ptr %v96, i64 %v122
  %v126 = load float, ptr %v125, align 4
  %v118 = fadd float %v117, %v126
  %v127 = add i64 %v122, %v107
  %v128 = getelementptr float, ptr %v96, i64 %v127
  %v129 = load float, ptr %v128, align 4
  %v120 = fadd float %v119, %v129
  %v130 = getelementptr float, ptr %v98, i64 %v122
  store float %v118, ptr %v130, align 4
  %v131 = getelementptr float, ptr %v98, i64 %v127
  store float %v120, ptr %v131, align 4
  %v132 = icmp sgt i64 %v123, 1
  br i1 %v132, label %v116, label %v35
v7:
  ret i32 0
}

define i32 @cumprod_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = getelementptr i8, ptr %v4, i64 8
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 1
  %v12 = sub i64 %v2, %v1
  br i1 %v11, label %v13, label %v14
v14:
  %v15 = icmp slt i64 %v12, 1
  br i1 %v15, label %v7, label %v16
v16:
  %v17 = getelementptr i8, ptr %v4, i64 16
  %v18 = getelementptr i8, ptr %v4, i64 24
  %v19 = getelementptr i8, ptr %v4, i64 32
  br label %v20
v21:
  %v22 = icmp sgt i64 %v23, 1
  br i1 %v22, label %v20, label %v7
v13:
  %v24 = and i64 %v12, 1
  %v25 = lshr i64 %v12, 1
  %v26 = add nuw nsw i64 %v25, %v24
  %v27 = icmp slt i64 %v12, 1
  %v28 = icmp eq i64 %v26, 0
  %v29 = select i1 %v27, i1 true, i1 %v28
  br i1 %v29, label %v7, label %v30
v30:
  %v31 = getelementptr i8, ptr %v4, i64 24
  %v32 = getelementptr i8, ptr %v4, i64 32
  %v33 = getelementptr i8, ptr %v4, i64 16
  br label %v34
v35:
  %v36 = icmp sgt i64 %v37, 1
  br i1 %v36, label %v34, label %v7
v20:
  %v23 = phi i64 [ %v12, %v16 ], [ %v38, %v21 ]
  %v39 = phi i64 [ %v1, %v16 ], [ %v40, %v21 ]
  %v38 = add nsw i64 %v23, -1
  %v40 = add i64 %v39, 1
  %v41 = load i64, ptr %v4, align 8
  %v42 = load i64, ptr %v9, align 8
  %v43 = load i64, ptr %v17, align 8
  %v44 = icmp eq i64 %v43, 0
  %v45 = sub i64 0, %v42
  %v46 = select i1 %v44, i64 %v42, i64 %v45
  %v47 = add i64 %v43, %v39
  %v48 = mul i64 %v47, %v41
  %v49 = sub i64 %v48, %v43
  %v50 = mul i64 %v49, %v42
  %v51 = load i64, ptr %v18, align 8
  %v52 = inttoptr i64 %v51 to ptr
  %v53 = getelementptr float, ptr %v52, i64 %v50
  %v54 = load i64, ptr %v19, align 8
  %v55 = inttoptr i64 %v54 to ptr
  %v56 = getelementptr float, ptr %v55, i64 %v50
  %v57 = add i64 %v41, -1
  %v58 = icmp slt i64 %v42, 1
  br i1 %v58, label %v59, label %v60
v59:
  %v61 = icmp slt i64 %v57, 1
  br i1 %v61, label %v21, label %v62
v62:
  %v63 = icmp slt i64 %v42, 1
  br label %v64
v65:
  %v66 = icmp sgt i64 %v67, 1
  br i1 %v66, label %v64, label %v21
v60:
  %v68 = phi i64 [ %v69, %v60 ], [ 0, %v20 ]
  %v69 = add nuw nsw i64 %v68, 1
  %v70 = getelementptr float, ptr %v53, i64 %v68
  %v71 = load float, ptr %v70, align 4
  %v72 = getelementptr float, ptr %v56, i64 %v68
  store float %v71, ptr %v72, align 4
  %v73 = icmp eq i64 %v42, %v69
  br i1 %v73, label %v59, label %v60
v64:
  %v74 = phi ptr [ %v53, %v62 ], [ %v75, %v65 ]
  %v76 = phi ptr [ %v56, %v62 ], [ %v77, %v65 ]
  %v67 = phi i64 [ %v57, %v62 ], [ %v78, %v65 ]
  %v78 = add nsw i64 %v67, -1
  %v77 = getelementptr float, ptr %v76, i64 %v46
  %v75 = getelementptr float, ptr %v74, i64 %v46
  br i1 %v63, label %v65, label %v79
v79:
  %v80 = phi i64 [ %v81, %v79 ], [ 0, %v64 ]
  %v81 = add nuw nsw i64 %v80, 1
  %v82 = getelementptr float, ptr %v76, i64 %v80
  %v83 = load float, ptr %v82, align 4
  %v84 = getelementptr float, ptr %v75, i64 %v80
  %v85 = load float, ptr %v84, align 4
  %v86 = fmul float %v83, %v85
  %v87 = getelementptr float, ptr %v77, i64 %v80
  store float %v86, ptr %v87, align 4
  %v88 = icmp eq i64 %v42, %v81
  br i1 %v88, label %v65, label %v79
v34:
  %v37 = phi i64 [ %v26, %v30 ], [ %v89, %v35 ]
  %v90 = phi i64 [ %v1, %v30 ], [ %v91, %v35 ]
  %v89 = add nsw i64 %v37, -1
  %v91 = add i64 %v90, 2
  %v92 = sub i64 %v2, %v90
  %v93 = call i64 @llvm.smin.i64(i64 %v92, i64 2)
  %v94 = load i64, ptr %v4, align 8
  %v95 = load i64, ptr %v31, align 8
  %v96 = inttoptr i64 %v95 to ptr
  %v97 = load i64, ptr %v32, align 8
  %v98 = inttoptr i64 %v97 to ptr
  %v99 = load i64, ptr %v33, align 8
  %v100 = icmp eq i64 %v99, 0
  %v101 = select i1 %v100, i64 1, i64 -1
  %v102 = add i64 %v99, %v90
  %v103 = mul i64 %v102, %v94
  %v104 = sub i64 %v103, %v99
  %v105 = add i64 %v94, -1
  %v106 = add i64 %v93, -1
  %v107 = mul i64 %v94, %v106
  %v108 = getelementptr float, ptr %v96, i64 %v104
  %v109 = load float, ptr %v108, align 4
  %v110 = add i64 %v104, %v107
  %v111 = getelementptr float, ptr %v96, i64 %v110
  %v112 = load float, ptr %v111, align 4
  %v113 = getelementptr float, ptr %v98, i64 %v104
  store float %v109, ptr %v113, align 4
  %v114 = getelementptr float, ptr %v98, i64 %v110
  store float %v112, ptr %v114, align 4
  %v115 = icmp slt i64 %v105, 1
  br i1 %v115, label %v35, label %v116
v116:
  %v117 = phi float [ %v118, %v116 ], [ %v109, %v34 ]
  %v119 = phi float [ %v120, %v116 ], [ %v112, %v34 ]
  %v121 = phi i64 [ %v122, %v116 ], [ %v104, %v34 ]
  %v123 = phi i64 [ %v124, %v116 ], [ %v105, %v34 ]
  %v124 = add nsw i64 %v123, -1
  %v122 = add i64 %v121, %v101
  %v125 = getelementptr float, ptr %v96, i64 %v122
  %v126 = load float, ptr %v125, align 4
  %v118 = fmul float %v117, %v126
  %v127 = add i64 %v122, %v107
  %v128 = getelementptr float, ptr %v96, i64 %v127
  %v129 = load float, ptr %v128, align 4
  %v120 = fmul float %v119, %v129
  %v130 = getelementptr float, ptr %v98, i64 %v122
  store float %v118, ptr %v130, align 4
  %v131 = getelementptr float, ptr %v98, i64 %v127
  store float %v120, ptr %v131, align 4
  %v132 = icmp sgt i64 %v123, 1
  br i1 %v132, label %v116, label %v35
v7:
  ret i32 0
}

define i32 @cummax_int32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = getelementptr i8, ptr %v4, i64 8
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 1
  %v12 = sub i64 %v2, %v1
  br i1 %v11, label %v13, label %v14
v14:
  %v15 = icmp slt i64 %v12, 1
  br i1 %v15, label %v7, label %v16
v16:
  %v17 = getelementptr i8, ptr %v4, i64 16
  %v18 = getelementptr i8, ptr %v4, i64 24
  %v19 = getelementptr i8, ptr %v4, i64 32
  br label %v20
v21:
  %v22 = icmp sgt i64 %v23, 1
  br i1 %v22, label %v20, label %v7
v13:
  %v24 = and i64 %v12, 1
  %v25 = lshr i64 %v12, 1
  %v26 = add nuw nsw i64 %v25, %v24
  %v27 = icmp slt i64 %v12, 1
  %v28 = icmp eq i64 %v26, 0
  %v29 = select i1 %v27, i1 true, i1 %v28
  br i1 %v29, label %v7, label %v30
v30:
  %v31 = getelementptr i8, ptr %v4, i64 24
  %v32 = getelementptr i8, ptr %v4, i64 32
  %v33 = getelementptr i8, ptr %v4, i64 16
  br label %v34
v35:
  %v36 = icmp sgt i64 %v37, 1
  br i1 %v36, label %v34, label %v7
v20:
  %v23 = phi i64 [ %v12, %v16 ], [ %v38, %v21 ]
  %v39 = phi i64 [ %v1, %v16 ], [ %v40, %v21 ]
  %v38 = add nsw i64 %v23, -1
  %v40 = add i64 %v39, 1
  %v41 = load i64, ptr %v4, align 8
  %v42 = load i64, ptr %v9, align 8
  %v43 = load i64, ptr %v17, align 8
  %v44 = icmp eq i64 %v43, 0
  %v45 = sub i64 0, %v42
  %v46 = select i1 %v44, i64 %v42, i64 %v45
  %v47 = add i64 %v43, %v39
  %v48 = mul i64 %v47, %v41
  %v49 = sub i64 %v48, %v43
  %v50 = mul i64 %v49, %v42
  %v51 = load i64, ptr %v18, align 8
  %v52 = inttoptr i64 %v51 to ptr
  %v53 = getelementptr i32, ptr %v52, i64 %v50
  %v54 = load i64, ptr %v19, align 8
  %v55 = inttoptr i64 %v54 to ptr
  %v56 = getelementptr i32, ptr %v55, i64 %v50
  %v57 = add i64 %v41, -1
  %v58 = icmp slt i64 %v42, 1
  br i1 %v58, label %v59, label %v60
v59:
  %v61 = icmp slt i64 %v57, 1
  br i1 %v61, label %v21, label %v62
v62:
  %v63 = icmp slt i64 %v42, 1
  br label %v64
v65:
  %v66 = icmp sgt i64 %v67, 1
  br i1 %v66, label %v64, label %v21
v60:
  %v68 = phi i64 [ %v69, %v60 ], [ 0, %v20 ]
  %v69 = add nuw nsw i64 %v68, 1
  %v70 = getelementptr i32, ptr %v53, i64 %v68
  %v71 = load i32, ptr %v70, align 4
  %v72 = getelementptr i32, ptr %v56, i64 %v68
  store i32 %v71, ptr %v72, align 4
  %v73 = icmp eq i64 %v42, %v69
  br i1 %v73, label %v59, label %v60
v64:
  %v74 = phi ptr [ %v53, %v62 ], [ %v75, %v65 ]
  %v76 = phi ptr [ %v56, %v62 ], [ %v77, %v65 ]
  %v67 = phi i64 [ %v57, %v62 ], [ %v78, %v65 ]
  %v78 = add nsw i64 %v67, -1
  %v77 = getelementptr i32, ptr %v76, i64 %v46
  %v75 = getelementptr i32, ptr %v74, i64 %v46
  br i1 %v63, label %v65, label %v79
v79:
  %v80 = phi i64 [ %v81, %v79 ], [ 0, %v64 ]
  %v81 = add nuw nsw i64 %v80, 1
  %v82 = getelementptr i32, ptr %v76, i64 %v80
  %v83 = load i32, ptr %v82, align 4
  %v84 = getelementptr i32, ptr %v75, i64 %v80
  %v85 = load i32, ptr %v84, align 4
  %v86 = call i32 @llvm.smax.i32(i32 %v85, i32 %v83)
  %v87 = getelementptr i32, ptr %v77, i64 %v80
  store i32 %v86, ptr %v87, align 4
  %v88 = icmp eq i64 %v42, %v81
  br i1 %v88, label %v65, label %v79
v34:
  %v37 = phi i64 [ %v26, %v30 ], [ %v89, %v35 ]
  %v90 = phi i64 [ %v1, %v30 ], [ %v91, %v35 ]
  %v89 = add nsw i64 %v37, -1
  %v91 = add i64 %v90, 2
  %v92 = sub i64 %v2, %v90
  %v93 = call i64 @llvm.smin.i64(i64 %v92, i64 2)
  %v94 = load i64, ptr %v4, align 8
  %v95 = load i64, ptr %v31, align 8
  %v96 = inttoptr i64 %v95 to ptr
  %v97 = load i64, ptr %v32, align 8
  %v98 = inttoptr i64 %v97 to ptr
  %v99 = load i64, ptr %v33, align 8
  %v100 = icmp eq i64 %v99, 0
  %v101 = select i1 %v100, i64 1, i64 -1
  %v102 = add i64 %v99, %v90
  %v103 = mul i64 %v102, %v94
  %v104 = sub i64 %v103, %v99
  %v105 = add i64 %v94, -1
  %v106 = add i64 %v93, -1
  %v107 = mul i64 %v94, %v106
  %v108 = getelementptr i32, ptr %v96, i64 %v104
  %v109 = load i32, ptr %v108, align 4
  %v110 = add i64 %v104, %v107
  %v111 = getelementptr i32, ptr %v96, i64 %v110
  %v112 = load i32, ptr %v111, align 4
  %v113 = getelementptr i32, ptr %v98, i64 %v104
  store i32 %v109, ptr %v113, align 4
  %v114 = getelementptr i32, ptr %v98, i64 %v110
  store i32 %v112, ptr %v114, align 4
  %v115 = icmp slt i64 %v105, 1
  br i1 %v115, label %v35, label %v116
v116:
  %v117 = phi i32 [ %v118, %v116 ], [ %v109, %v34 ]
  %v119 = phi i32 [ %v120, %v116 ], [ %v112, %v34 ]
  %v121 = phi i64 [ %v122, %v116 ], [ %v104, %v34 ]
  %v123 = phi i64 [ %v124, %v116 ], [ %v105, %v34 ]
  %v124 = add nsw i64 %v123, -1
  %v122 = add i64 %v121, %v101
  %v125 = getelementptr i32, ptr %v96, i64 %v122
  %v126 = load i32, ptr %v125, align 4
  %v118 = call i32 @llvm.smax.i32(i32 %v126, i32 %v117)
  %v127 = add i64 %v122, %v107
  %v128 = getelementptr i32, ptr %v96, i64 %v127
  %v129 = load i32, ptr %v128, align 4
  %v120 = call i32 @llvm.smax.i32(i32 %v129, i32 %v119)
  %v130 = getelementptr i32, ptr %v98, i64 %v122
  store i32 %v118, ptr %v130, align 4
  %v131 = getelementptr i32, ptr %v98, i64 %v127
  store i32 %v120, ptr %v131, align 4
  %v132 = icmp sgt i64 %v123, 1
  br i1 %v132, label %v116, label %v35
v7:
  ret i32 0
}

define i32 @cummax_int64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = getelementptr i8, ptr %v4, i64 8
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 1
  %v12 = sub i64 %v2, %v1
  br i1 %v11, label %v13, label %v14
v14:
  %v15 = icmp slt i64 %v12, 1
  br i1 %v15, label %v7, label %v16
v16:
  %v17 = getelementptr i8, ptr %v4, i64 16
  %v18 = getelementptr i8, ptr %v4, i64 24
  %v19 = getelementptr i8, ptr %v4, i64 32
  br label %v20
v21:
  %v22 = icmp sgt i64 %v23, 1
  br i1 %v22, label %v20, label %v7
v13:
  %v24 = and i64 %v12, 1
  %v25 = lshr i64 %v12, 1
  %v26 = add nuw nsw i64 %v25, %v24
  %v27 = icmp slt i64 %v12, 1
  %v28 = icmp eq i64 %v26, 0
  %v29 = select i1 %v27, i1 true, i1 %v28
  br i1 %v29, label %v7, label %v30
v30:
  %v31 = getelementptr i8, ptr %v4, i64 24
  %v32 = getelementptr i8, ptr %v4, i64 32
  %v33 = getelementptr i8, ptr %v4, i64 16
  br label %v34
v35:
  %v36 = icmp sgt i64 %v37, 1
  br i1 %v36, label %v34, label %v7
v20:
  %v23 = phi i64 [ %v12, %v16 ], [ %v38, %v21 ]
  %v39 = phi i64 [ %v1, %v16 ], [ %v40, %v21 ]
  %v38 = add nsw i64 %v23, -1
  %v40 = add i64 %v39, 1
  %v41 = load i64, ptr %v4, align 8
  %v42 = load i64, ptr %v9, align 8
  %v43 = load i64, ptr %v17, align 8
  %v44 = icmp eq i64 %v43, 0
  %v45 = sub i64 0, %v42
  %v46 = select i1 %v44, i64 %v42, i64 %v45
  %v47 = add i64 %v43, %v39
  %v48 = mul i64 %v47, %v41
  %v49 = sub i64 %v48, %v43
  %v50 = load i64, ptr %v18, align 8
  %v51 = shl i64 %v42, 3
  %v52 = mul i64 %v51, %v49
  %v53 = add i64 %v52, %v50
  %v54 = load i64, ptr %v19, align 8
  %v55 = add i64 %v52, %v54
  %v56 = icmp slt i64 %v42, 1
  br i1 %v56, label %v57, label %v58
v58:
  %v59 = inttoptr i64 %v53 to ptr
  %v60 = inttoptr i64 %v55 to ptr
  br label %v61
v57:
  %v62 = add i64 %v41, -1
  %v63 = icmp slt i64 %v62, 1
  br i1 %v63, label %v21, label %v64
v64:
  %v65 = shl i64 %v46, 3
  %v66 = icmp slt i64 %v42, 1
  br label %v67
v68:
  %v69 = icmp sgt i64 %v70, 1
  br i1 %v69, label %v67, label %v21
v61:
  %v71 = phi i64 [ 0, %v58 ], [ %v72, %v61 ]
  %v72 = add nuw nsw i64 %v71, 1
  %v73 = getelementptr i64, ptr %v59, i64 %v71
  %v74 = load i64, ptr %v73, align 8
  %v75 = getelementptr i64, ptr %v60, i64 %v71
  store i64 %v74, ptr %v75, align 8
  %v76 = icmp eq i64 %v42, %v72
  br i1 %v76, label %v57, label %v61
v67:
  %v77 = phi i64 [ %v53, %v64 ], [ %v78, %v68 ]
  %v79 = phi i64 [ %v55, %v64 ], [ %v80, %v68 ]
  %v70 = phi i64 [ %v62, %v64 ], [ %v81, %v68 ]
  %v81 = add nsw i64 %v70, -1
  %v80 = add i64 %v79, %v65
  %v78 = add i64 %v77, %v65
  br i1 %v66, label %v68, label %v82
v82:
  %v83 = inttoptr i64 %v79 to ptr
  %v84 = inttoptr i64 %v78 to ptr
  %v85 = inttoptr i64 %v80 to ptr
  br label %v86
v86:
  %v87 = phi i64 [ 0, %v82 ], [ %v88, %v86 ]
  %v88 = add nuw nsw i64 %v87, 1
  %v89 = getelementptr i64, ptr %v83, i64 %v87
  %v90 = load i64, ptr %v89, align 8
  %v91 = getelementptr i64, ptr %v84, i64 %v87
  %v92 = load i64, ptr %v91, align 8
  %v93 = call i64 @llvm.smax.i64(i64 %v92, i64 %v90)
  %v94 = getelementptr i64, ptr %v85, i64 %v87
  store i64 %v93, ptr %v94, align 8
  %v95 = icmp eq i64 %v42, %v88
  br i1 %v95, label %v68, label %v86
v34:
  %v37 = phi i64 [ %v26, %v30 ], [ %v96, %v35 ]
  %v97 = phi i64 [ %v1, %v30 ], [ %v98, %v35 ]
  %v96 = add nsw i64 %v37, -1
  %v98 = add i64 %v97, 2
  %v99 = sub i64 %v2, %v97
  %v100 = call i64 @llvm.smin.i64(i64 %v99, i64 2)
  %v101 = load i64, ptr %v4, align 8
  %v102 = load i64, ptr %v31, align 8
  %v103 = load i64, ptr %v32, align 8
  %v104 = load i64, ptr %v33, align 8
  %v105 = icmp eq i64 %v104, 0
  %v106 = select i1 %v105, i64 1, i64 -1
  %v107 = add i64 %v104, %v97
  %v108 = mul i64 %v107, %v101
  %v109 = sub i64 %v108, %v104
  %v110 = add i64 %v101, -1
  %v111 = add i64 %v100, -1
  %v112 = mul i64 %v101, %v111
  %v113 = inttoptr i64 %v102 to ptr
  %v114 = getelementptr i64, ptr %v113, i64 %v109
  %v115 = load i64, ptr %v114, align 8
  %v116 = add i64 %v109, %v112
  %v117 = getelementptr i64, ptr %v113, i64 %v116
  %v118 = load i64, ptr %v117, align 8
  %v119 = inttoptr i64 %v103 to ptr
  %v120 = getelementptr i64, ptr %v119, i64 %v109
  store i64 %v115, ptr %v120, align 8
  %v121 = getelementptr i64, ptr %v119, i64 %v116
  store i64 %v118, ptr %v121, align 8
  %v122 = icmp slt i64 %v110, 1
  br i1 %v122, label %v35, label %v123
v123:
  %v124 = phi i64 [ %v125, %v123 ], [ %v115, %v34 ]
  %v126 = phi i64 [ %v127, %v123 ], [ %v118, %v34 ]
  %v128 = phi i64 [ %v129, %v123 ], [ %v109, %v34 ]
  %v130 = phi i64 [ %v131, %v123 ], [ %v110, %v34 ]
  %v131 = add nsw i64 %v130, -1
  %v129 = add i64 %v128, %v106
  %v132 = getelementptr i64, ptr %v113, i64 %v129
  %v133 = load i64, ptr %v132, align 8
  %v125 = call i64 @llvm.smax.i64(i64 %v133, i64 %v124)
  %v134 = add i64 %v129, %v112
  %v135 = getelementptr i64, ptr %v113, i64 %v134
  %v136 = load i64, ptr %v135, align 8
  %v127 = call i64 @llvm.smax.i64(i64 %v136, i64 %v126)
  %v137 = getelementptr i64, ptr %v119, i64 %v129
  store i64 %v125, ptr %v137, align 8
  %v138 = getelementptr i64, ptr %v119, i64 %v134
  store i64 %v127, ptr %v138, align 8
  %v139 = icmp sgt i64 %v130, 1
  br i1 %v139, label %v123, label %v35
v7:
  ret i32 0
}

define i32 @recurrence_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v8:
  %v9 = getelementptr i8, ptr %v4, i64 8
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 1
  %v12 = sub i64 %v2, %v1
  br i1 %v11, label %v13, label %v14
v14:
  %v15 = icmp slt i64 %v12, 1
  br i1 %v15, label %v7, label %v16
v16:
  %v17 = getelementptr i8, ptr %v4, i64 16
  %v18 = getelementptr i8, ptr %v4, i64 24
  %v19 = getelementptr i8, ptr %v4, i64 32
  %v20 = getelementptr i8, ptr %v4, i64 40
  br label %v21
v22:
  %v23 = icmp sgt i64 %v24, 1
  br i1 %v23, label %v21, label %v7
v13:
  %v25 = and i64 %v12, 1
  %v26 = lshr i64 %v12, 1
  %v27 = add nuw nsw i64 %v26, %v25
  %v28 = icmp slt i64 %v12, 1
  %v29 = icmp eq i64 %v27, 0
  %v30 = select i1 %v28, i1 true, i1 %v29
  br i1 %v30, label %v7, label %v31
v31:
  %v32 = getelementptr i8, ptr %v4, i64 24
  %v33 = getelementptr i8, ptr %v4, i64 32
  %v34 = getelementptr i8, ptr %v4, i64 40
  %v35 = getelementptr i8, ptr %v4, i64 16
  br label %v36
v37:
  %v38 = icmp sgt i64 %v39, 1
  br i1 %v38, label %v36, label %v7
v21:
  %v24 = phi i64 [ %v12, %v16 ], [ %v40, %v22 ]
  %v41 = phi i64 [ %v1, %v16 ], [ %v42, %v22 ]
  %v40 = add nsw i64 %v24, -1
  %v42 = add i64 %v41, 1
  %v43 = load i64, ptr %v4, align 8
  %v44 = load i64, ptr %v9, align 8
  %v45 = load i64, ptr %v17, align 8
  %v46 = icmp eq i64 %v45, 0
  %v47 = sub i64 0, %v44
  %v48 = select i1 %v46, i64 %v44, i64 %v47
  %v49 = add i64 %v45, %v41
  %v50 = mul i64 %v49, %v43
  %v51 = sub i64 %v50, %v45
  %v52 = mul i64 %v51, %v44
  %v53 = load i64, ptr %v18, align 8
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = getelementptr float, ptr %v54, i64 %v52
  %v56 = load i64, ptr %v19, align 8
  %v57 = inttoptr i64 %v56 to ptr
  %v58 = getelementptr float, ptr %v57, i64 %v52
  %v59 = load i64, ptr %v20, align 8
  %v60 = inttoptr i64 %v59 to ptr
  %v61 = add i64 %v43, -1
  %v62 = mul i64 %v49, %v61
  %v63 = sub i64 %v62, %v45
  %v64 = mul i64 %v63, %v44
  %v65 = getelementptr float, ptr %v60, i64 %v64
  %v66 = icmp slt i64 %v44, 1
  br i1 %v66, label %v67, label %v68
v67:
  %v69 = icmp slt i64 %v61, 1
  br i1 %v69, label %v22, label %v70
v70:
  %v71 = icmp slt i64 %v44, 1
  br label %v72
v73:
  %v74 = getelementptr float, ptr %v75, i64 %v48
  %v76 = icmp sgt i64 %v77, 1
  br i1 %v76, label %v72, label %v22
v68:
  %v78 = phi i64 [ %v79, %v68 ], [ 0, %v21 ]
  %v79 = add nuw nsw i64 %v78, 1
  %v80 = getelementptr float, ptr %v55, i64 %v78
  %v81 = load float, ptr %v80, align 4
  %v82 = getelementptr float, ptr %v58, i64 %v78
  store float %v81, ptr %v82, align 4
  %v83 = icmp eq i64 %v44, %v79
  br i1 %v83, label %v67, label %v68
v72:
  %v75 = phi ptr [ %v65, %v70 ], [ %v74, %v73 ]
  %v84 = phi ptr [ %v55, %v70 ], [ %v85, %v73 ]
  %v86 = phi ptr [ %v58, %v70 ], [ %v87, %v73 ]
  %v77 = phi i64 [ %v61, %v70 ], [ %v88, %v73 ]
  %v88 = add nsw i64 %v77, -1
  %v87 = getelementptr float, ptr %v86, i64 %v48
  %v85 = getelementptr float, ptr %v84, i64 %v48
  br i1 %v71, label %v73, label %v89
v89:
  %v90 = phi i64 [ %v91, %v89 ], [ 0, %v72 ]
  %v91 = add nuw nsw i64 %v90, 1
  %v92 = getelementptr float, ptr %v86, i64 %v90
  %v93 = load float, ptr %v92, align 4
  %v94 = getelementptr float, ptr %v85, i64 %v90
  %v95 = load float, ptr %v94, align 4
  %v96 = getelementptr float, ptr %v75, i64 %v90
  %v97 = load float, ptr %v96, align 4
  %v98 = fmul float %v93, %v97
  %v99 = fadd float %v95, %v98
  %v100 = getelementptr float, ptr %v87, i64 %v90
  store float %v99, ptr %v100, align 4
  %v101 = icmp eq i64 %v44, %v91
  br i1 %v101, label %v73, label %v89
v36:
  %v39 = phi i64 [ %v27, %v31 ], [ %v102, %v37 ]
  %v103 = phi i64 [ %v1, %v31 ], [ %v104, %v37 ]
  %v102 = add nsw i64 %v39, -1
  %v104 = add i64 %v103, 2
  %v105 = sub i64 %v2, %v103
  %v106 = call i64 @llvm.smin.i64(i64 %v105, i64 2)
  %v107 = load i64, ptr %v4, align 8
  %v108 = load i64, ptr %v32, align 8
  %v109 = inttoptr i64 %v108 to ptr
  %v110 = load i64, ptr %v33, align 8
  %v111 = inttoptr i64 %v110 to ptr
  %v112 = load i64, ptr %v34, align 8
  %v113 = inttoptr i64 %v112 to ptr
  %v114 = load i64, ptr %v35, align 8
  %v115 = icmp eq i64 %v114, 0
  %v116 = select i1 %v115, i64 1, i64 -1
  %v117 = add i64 %v114, %v103
  %v118 = mul i64 %v117, %v107
  %v119 = sub i64 %v118, %v114
  %v120 = add i64 %v107, -1
  %v121 = add i64 %v106, -1
  %v122 = mul i64 %v107, %v121
  %v123 = getelementptr float, ptr %v109, i64 %v119
  %v124 = load float, ptr %v123, align 4
  %v125 = add i64 %v119, %v122
  %v126 = getelementptr float, ptr %v109, i64 %v125
  %v127 = load float, ptr %v126, align 4
  %v128 = getelementptr float, ptr %v111, i64 %v119
  store float %v124, ptr %v128, align 4
  %v129 = getelementptr float, ptr %v111, i64 %v125
  store float %v127, ptr %v129, align 4
  %v130 = icmp slt i64 %v120, 1
  br i1 %v130, label %v37, label %v131
v131:
  %v132 = mul i64 %v117, %v120
  %v133 = sub i64 %v132, %v114
  %v134 = mul i64 %v120, %v121
  %v135 = add i64 %v133, %v134
  br label %v136
v136:
  %v137 = phi float [ %v138, %v136 ], [ %v124, %v131 ]
  %v139 = phi float [ %v140, %v136 ], [ %v127, %v131 ]
  %v141 = phi i64 [ %v142, %v136 ], [ %v135, %v131 ]
  %v143 = phi i64 [ %v144, %v136 ], [ %v133, %v131 ]
  %v145 = phi i64 [ %v146, %v136 ], [ %v119, %v131 ]
  %v147 = phi i64 [ %v148, %v136 ], [ %v120, %v131 ]
  %v148 = add nsw i64 %v147, -1
  %v146 = add i64 %v145, %v116
  %v149 = getelementptr float, ptr %v109, i64 %v146
  %v150 = load float, ptr %v149, align 4
  %v151 = getelementptr float, ptr %v113, i64 %v143
  %v152 = load float, ptr %v151, align 4
  %v153 = fmul float %v137, %v152
  %v138 = fadd float %v150, %v153
  %v154 = add i64 %v146, %v122
  %v155 = getelementptr float, ptr %v109, i64 %v154
  %v156 = load float, ptr %v155, align 4
  %v157 = getelementptr float, ptr %v113, i64 %v141
  %v158 = load float, ptr %v157, align 4
  %v159 = fmul float %v139, %v158
  %v140 = fadd float %v156, %v159
  %v160 = getelementptr float, ptr %v111, i64 %v146
  store float %v138, ptr %v160, align 4
  %v161 = getelementptr float, ptr %v111, i64 %v154
  store float %v140, ptr %v161, align 4
  %v144 = add i64 %v143, %v116
  %v142 = add i64 %v141, %v116
  %v162 = icmp sgt i64 %v147, 1
  br i1 %v162, label %v136, label %v37
v7:
  ret i32 0
}

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)

declare i32 @llvm.smax.i32(i32, i32)
