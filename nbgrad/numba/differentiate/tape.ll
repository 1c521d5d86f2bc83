; numba 0.68.1, llvmlite 0.50.0, Python 3.11
@nbgrad_at_rest = external global i64
define i64 @nbgrad_tape_open_tape(i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4) nounwind "no-jump-tables"="true" "no-builtins" {
v5:
  %v6 = add i64 %v1, %v0
  %v7 = icmp sgt i64 %v6, 4261412863
  br i1 %v7, label %v8, label %v9
v9:
  %v10 = phi i64 [ %v11, %v12 ], [ 0, %v5 ]
  %v13 = icmp eq i64 %v10, 16
  br i1 %v13, label %v14, label %v12
v14:
  %v15 = phi i64 [ 0, %v9 ], [ %v16, %v12 ]
  %v17 = icmp eq i64 %v15, 0
  br i1 %v17, label %v18, label %v19
v18:
  %v20 = call dereferenceable_or_null(131248) ptr @malloc(i64 131248)
  %v21 = ptrtoint ptr %v20 to i64
  %v22 = icmp eq ptr %v20, null
  br i1 %v22, label %v19, label %v23
v24:
  %v25 = getelementptr i8, ptr %v20, i64 80
  store i64 131072, ptr %v25, align 4
  br label %v19
v23:
  %v26 = phi i64 [ %v27, %v23 ], [ 0, %v18 ]
  %v27 = add nuw nsw i64 %v26, 1
  %v28 = getelementptr i64, ptr %v20, i64 %v26
  store i64 0, ptr %v28, align 4
  %v29 = icmp eq i64 %v27, 22
  br i1 %v29, label %v24, label %v23
v19:
  %v30 = phi i64 [ %v15, %v14 ], [ %v21, %v24 ], [ %v21, %v18 ]
  %v31 = icmp eq i64 %v30, 0
  br i1 %v31, label %v8, label %v32
v32:
  %v33 = inttoptr i64 %v30 to ptr
  %v34 = getelementptr i8, ptr %v33, i64 32
  store i64 %v4, ptr %v34, align 4
  %v35 = add nsw i64 %v6, 1
  %v36 = getelementptr i8, ptr %v33, i64 112
  store i64 %v35, ptr %v36, align 4
  %v37 = add i64 %v0, 1
  %v38 = getelementptr i8, ptr %v33, i64 160
  store i64 %v37, ptr %v38, align 4
  %v39 = getelementptr i8, ptr %v33, i64 40
  store i64 0, ptr %v39, align 4
  %v40 = getelementptr i8, ptr %v33, i64 128
  store i64 0, ptr %v40, align 4
  %v41 = getelementptr i8, ptr %v33, i64 152
  store i64 0, ptr %v41, align 4
  %v42 = getelementptr i8, ptr %v33, i64 8
  store i64 %v35, ptr %v42, align 4
  %v43 = getelementptr i8, ptr %v33, i64 24
  store i64 %v30, ptr %v43, align 4
  %v44 = add i64 %v30, 176
  store i64 %v44, ptr %v33, align 4
  %v45 = getelementptr i8, ptr %v33, i64 80
  %v46 = load i64, ptr %v45, align 4
  %v47 = add i64 %v46, %v44
  %v48 = getelementptr i8, ptr %v33, i64 16
  store i64 %v47, ptr %v48, align 4
  %v49 = shl i64 %v3, 3
  %v50 = mul i64 %v49, %v6
  %v51 = mul i64 %v2, 48
  %v52 = add i64 %v50, %v51
  %v53 = getelementptr i8, ptr %v33, i64 48
  %v54 = load i64, ptr %v53, align 4
  %v55 = icmp eq i64 %v54, 0
  br i1 %v55, label %v56, label %v57
v57:
  %v58 = getelementptr i8, ptr %v33, i64 56
  %v59 = load i64, ptr %v58, align 4
  %v60 = icmp slt i64 %v59, %v52
  br i1 %v60, label %v56, label %v61
v56:
  %v62 = inttoptr i64 %v54 to ptr
  call void @free(ptr %v62)
  %v63 = call i64 @llvm.smax.i64(i64 %v52, i64 64)
  %v64 = call ptr @malloc(i64 %v63)
  %v65 = icmp sgt i64 %v52, 4194303
  %v66 = icmp ne ptr %v64, null
  %v67 = and i1 %v65, %v66
  br i1 %v67, label %v68, label %v69
v68:
  %v70 = ptrtoint ptr %v64 to i64
  %v71 = add i64 %v70, 2097151
  %v72 = and i64 %v71, -2097152
  %v73 = inttoptr i64 %v72 to ptr
  %v74 = add nsw i64 %v63, -2097152
  %v75 = call i32 @madvise(ptr %v73, i64 %v74, i32 14)
  br label %v69
v69:
  %v76 = ptrtoint ptr %v64 to i64
  store i64 %v76, ptr %v53, align 4
  %v77 = getelementptr i8, ptr %v33, i64 56
  store i64 %v52, ptr %v77, align 4
  br label %v61
v61:
  %v78 = load i64, ptr %v53, align 4
  %v79 = icmp eq i64 %v78, 0
  br i1 %v79, label %v80, label %v81
v80:
  %v82 = getelementptr i8, ptr %v33, i64 144
  %v83 = load i64, ptr %v82, align 4
  %v84 = icmp eq i64 %v83, 0
  br i1 %v84, label %v85, label %v86
v86:
  %v87 = load i64, ptr %v82, align 4
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v88, align 4
  store i64 %v89, ptr %v82, align 4
  %v90 = load i64, ptr %v34, align 4
  %v91 = getelementptr i8, ptr %v88, i64 24
  %v92 = load i64, ptr %v91, align 4
  %v93 = add i64 %v92, %v90
  store i64 %v93, ptr %v34, align 4
  call void @free(ptr %v88)
  %v94 = load i64, ptr %v82, align 4
  %v95 = icmp eq i64 %v94, 0
  br i1 %v95, label %v85, label %v86
v85:
  br label %v96
v96:
  %v97 = phi i64 [ %v98, %v99 ], [ %v30, %v85 ]
  %v100 = phi i64 [ %v101, %v99 ], [ 0, %v85 ]
  %v102 = inttoptr i64 %v97 to ptr
  %v103 = getelementptr i8, ptr %v102, i64 80
  %v104 = load i64, ptr %v103, align 4
  %v101 = add i64 %v104, %v100
  %v105 = getelementptr i8, ptr %v102, i64 96
  %v98 = load i64, ptr %v105, align 4
  %v106 = icmp sgt i64 %v101, 67108864
  %v107 = icmp ne i64 %v98, 0
  %v108 = select i1 %v106, i1 %v107, i1 false
  br i1 %v108, label %v109, label %v99
v109:
  %v110 = phi i64 [ %v111, %v109 ], [ %v98, %v96 ]
  %v112 = inttoptr i64 %v110 to ptr
  %v113 = getelementptr i8, ptr %v112, i64 96
  %v111 = load i64, ptr %v113, align 4
  call void @free(ptr %v112)
  %v114 = icmp eq i64 %v111, 0
  br i1 %v114, label %v115, label %v109
v115:
  %v116 = getelementptr i8, ptr %v102, i64 96
  store i64 0, ptr %v116, align 4
  br label %v117
v99:
  br i1 %v107, label %v96, label %v117
v117:
  br label %v118
v119:
  %v120 = getelementptr i8, ptr %v121, i64 48
  %v122 = load i64, ptr %v120, align 4
  %v123 = inttoptr i64 %v122 to ptr
  call void @free(ptr %v123)
  store i64 0, ptr %v120, align 4
  store i64 0, ptr %v124, align 4
  br label %v125
v125:
  br i1 %v126, label %v127, label %v118
v127:
  %v128 = phi i64 [ %v129, %v130 ], [ 0, %v125 ]
  %v131 = phi i64 [ %v132, %v130 ], [ %v30, %v125 ]
  %v133 = icmp eq i64 %v128, 16
  br i1 %v133, label %v134, label %v130
v134:
  %v135 = inttoptr i64 %v131 to ptr
  %v136 = getelementptr i8, ptr %v135, i64 48
  %v137 = load i64, ptr %v136, align 4
  %v138 = inttoptr i64 %v137 to ptr
  call void @free(ptr %v138)
  %v139 = getelementptr i8, ptr %v135, i64 64
  %v140 = load i64, ptr %v139, align 4
  %v141 = inttoptr i64 %v140 to ptr
  call void @free(ptr %v141)
  br label %v142
v142:
  %v143 = phi i64 [ %v131, %v134 ], [ %v144, %v142 ]
  %v145 = inttoptr i64 %v143 to ptr
  %v146 = getelementptr i8, ptr %v145, i64 96
  %v144 = load i64, ptr %v146, align 4
  call void @free(ptr %v145)
  %v147 = icmp eq i64 %v144, 0
  br i1 %v147, label %v8, label %v142
v118:
  %v126 = phi i1 [ true, %v125 ], [ false, %v117 ]
  %v148 = phi i64 [ 16, %v125 ], [ 0, %v117 ]
  %v121 = getelementptr i8, ptr %v33, i64 %v148
  %v124 = getelementptr i8, ptr %v121, i64 56
  %v149 = load i64, ptr %v124, align 4
  %v150 = icmp sgt i64 %v149, 67108864
  br i1 %v150, label %v119, label %v125
v130:
  %v129 = add nuw nsw i64 %v128, 1
  %v151 = getelementptr i64, ptr @nbgrad_at_rest, i64 %v128
  %v132 = atomicrmw xchg ptr %v151, i64 %v131 seq_cst, align 8
  %v152 = icmp eq i64 %v132, 0
  br i1 %v152, label %v8, label %v127
v81:
  %v153 = add i64 %v78, %v50
  %v154 = getelementptr i8, ptr %v33, i64 168
  store i64 %v153, ptr %v154, align 4
  br label %v8
v12:
  %v11 = add nuw nsw i64 %v10, 1
  %v155 = getelementptr i64, ptr @nbgrad_at_rest, i64 %v10
  %v16 = atomicrmw xchg ptr %v155, i64 0 seq_cst, align 8
  %v156 = icmp eq i64 %v16, 0
  br i1 %v156, label %v9, label %v14
v8:
  %v157 = phi i64 [ 0, %v5 ], [ 0, %v142 ], [ 0, %v19 ], [ %v30, %v81 ], [ 0, %v130 ]
  ret i64 %v157
}
define ptr @nbgrad_tape_grow(i64 %v0) nounwind "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = inttoptr i64 %v0 to ptr
  %v3 = getelementptr i8, ptr %v2, i64 24
  %v4 = load i64, ptr %v3, align 4
  %v5 = load i64, ptr %v2, align 4
  %v6 = inttoptr i64 %v4 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 104
  store i64 %v5, ptr %v7, align 4
  %v8 = getelementptr i8, ptr %v2, i64 128
  %v9 = load i64, ptr %v8, align 4
  %v10 = load i64, ptr %v2, align 4
  %v11 = sub i64 %v9, %v4
  %v12 = add i64 %v11, -176
  %v13 = add i64 %v12, %v10
  %v14 = getelementptr i8, ptr %v6, i64 96
  %v15 = load i64, ptr %v14, align 4
  %v16 = getelementptr i8, ptr %v2, i64 32
  %v17 = load i64, ptr %v16, align 4
  %v18 = icmp slt i64 %v13, %v17
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = getelementptr i8, ptr %v2, i64 8
  %v22 = load i64, ptr %v21, align 4
  %v23 = icmp sgt i64 %v22, 4261412863
  br label %v20
v20:
  %v24 = phi i1 [ %v23, %v19 ], [ true, %v1 ]
  %v25 = icmp ne i64 %v15, 0
  %v26 = select i1 %v25, i1 true, i1 %v24
  br i1 %v26, label %v27, label %v28
v28:
  %v29 = getelementptr i8, ptr %v6, i64 80
  %v30 = load i64, ptr %v29, align 4
  %v31 = shl i64 %v30, 1
  %v32 = call i64 @llvm.smin.i64(i64 %v31, i64 134217728)
  %v33 = add nsw i64 %v32, 176
  %v34 = call ptr @malloc(i64 %v33)
  %v35 = icmp ugt i64 %v33, 4194303
  %v36 = icmp ne ptr %v34, null
  %v37 = and i1 %v36, %v35
  br i1 %v37, label %v38, label %v39
v40:
  %v41 = getelementptr i8, ptr %v34, i64 80
  store i64 %v32, ptr %v41, align 4
  store i64 %v42, ptr %v14, align 4
  %v43 = getelementptr i8, ptr %v34, i64 88
  store i64 %v4, ptr %v43, align 4
  br label %v27
v38:
  %v44 = ptrtoint ptr %v34 to i64
  %v45 = add i64 %v44, 2097151
  %v46 = and i64 %v45, -2097152
  %v47 = inttoptr i64 %v46 to ptr
  %v48 = add i64 %v32, -2096976
  %v49 = call i32 @madvise(ptr %v47, i64 %v48, i32 14)
  br label %v39
v39:
  %v42 = ptrtoint ptr %v34 to i64
  %v50 = icmp eq ptr %v34, null
  br i1 %v50, label %v27, label %v51
v51:
  %v52 = phi i64 [ %v53, %v51 ], [ 0, %v39 ]
  %v53 = add nuw nsw i64 %v52, 1
  %v54 = getelementptr i64, ptr %v34, i64 %v52
  store i64 0, ptr %v54, align 4
  %v55 = icmp eq i64 %v53, 22
  br i1 %v55, label %v40, label %v51
v27:
  %v56 = phi i64 [ %v42, %v40 ], [ 0, %v39 ], [ %v15, %v20 ]
  %v57 = icmp eq i64 %v56, 0
  %v58 = select i1 %v57, i1 true, i1 %v24
  br i1 %v58, label %v59, label %v60
v59:
  %v61 = getelementptr i8, ptr %v2, i64 40
  store i64 1, ptr %v61, align 4
  store i64 0, ptr %v8, align 4
  %v62 = getelementptr i8, ptr %v2, i64 152
  store i64 0, ptr %v62, align 4
  %v63 = getelementptr i8, ptr %v2, i64 112
  %v64 = load i64, ptr %v63, align 4
  %v65 = getelementptr i8, ptr %v2, i64 8
  store i64 %v64, ptr %v65, align 4
  store i64 %v0, ptr %v3, align 4
  %v66 = add i64 %v0, 176
  store i64 %v66, ptr %v2, align 4
  br label %v67
v60:
  store i64 %v13, ptr %v8, align 4
  store i64 %v56, ptr %v3, align 4
  %v68 = add i64 %v56, 176
  store i64 %v68, ptr %v2, align 4
  %v69 = inttoptr i64 %v56 to ptr
  br label %v67
v67:
  %v70 = phi ptr [ %v2, %v59 ], [ %v69, %v60 ]
  %v71 = phi i64 [ %v66, %v59 ], [ %v68, %v60 ]
  %v72 = getelementptr i8, ptr %v70, i64 80
  %v73 = load i64, ptr %v72, align 4
  %v74 = add i64 %v73, %v71
  %v75 = getelementptr i8, ptr %v2, i64 16
  store i64 %v74, ptr %v75, align 4
  ret ptr null
}
define i64 @nbgrad_tape_block(i64 %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = shl i64 %v1, 4
  %v6 = getelementptr i8, ptr %v4, i64 %v5
  %v7 = getelementptr i8, ptr %v6, i64 48
  %v8 = load i64, ptr %v7, align 4
  %v9 = icmp eq i64 %v8, 0
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = getelementptr i8, ptr %v6, i64 56
  %v13 = load i64, ptr %v12, align 4
  %v14 = icmp slt i64 %v13, %v2
  br i1 %v14, label %v10, label %v15
v10:
  %v16 = inttoptr i64 %v8 to ptr
  call void @free(ptr %v16)
  %v17 = call i64 @llvm.smax.i64(i64 %v2, i64 64)
  %v18 = call ptr @malloc(i64 %v17)
  %v19 = icmp sgt i64 %v2, 4194303
  %v20 = icmp ne ptr %v18, null
  %v21 = and i1 %v19, %v20
  br i1 %v21, label %v22, label %v23
v22:
  %v24 = ptrtoint ptr %v18 to i64
  %v25 = add i64 %v24, 2097151
  %v26 = and i64 %v25, -2097152
  %v27 = inttoptr i64 %v26 to ptr
  %v28 = add nsw i64 %v17, -2097152
  %v29 = call i32 @madvise(ptr %v27, i64 %v28, i32 14)
  br label %v23
v23:
  %v30 = ptrtoint ptr %v18 to i64
  store i64 %v30, ptr %v7, align 4
  %v31 = getelementptr i8, ptr %v6, i64 56
  store i64 %v2, ptr %v31, align 4
  br label %v15
v15:
  %v32 = load i64, ptr %v7, align 4
  ret i64 %v32
}
define i64 @nbgrad_tape_last_step(i64 %v0) nounwind "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = inttoptr i64 %v0 to ptr
  %v3 = getelementptr i8, ptr %v2, i64 144
  %v4 = load i64, ptr %v3, align 4
  %v5 = icmp eq i64 %v4, 0
  br i1 %v5, label %v6, label %v7
v7:
  %v8 = inttoptr i64 %v4 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 16
  %v10 = load i64, ptr %v9, align 4
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v6
v12:
  %v13 = load i64, ptr %v8, align 4
  store i64 %v13, ptr %v3, align 4
  %v14 = getelementptr i8, ptr %v2, i64 32
  %v15 = load i64, ptr %v14, align 4
  %v16 = getelementptr i8, ptr %v8, i64 24
  %v17 = load i64, ptr %v16, align 4
  %v18 = add i64 %v17, %v15
  store i64 %v18, ptr %v14, align 4
  call void @free(ptr %v8)
  br label %v6
v6:
  %v19 = load i64, ptr %v3, align 4
  ret i64 %v19
}
define ptr @nbgrad_tape_close_tape(i64 %v0) nounwind "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = inttoptr i64 %v0 to ptr
  %v3 = getelementptr i8, ptr %v2, i64 144
  %v4 = load i64, ptr %v3, align 4
  %v5 = icmp eq i64 %v4, 0
  br i1 %v5, label %v6, label %v7
v7:
  %v8 = getelementptr i8, ptr %v2, i64 32
  br label %v9
v9:
  %v10 = load i64, ptr %v3, align 4
  %v11 = inttoptr i64 %v10 to ptr
  %v12 = load i64, ptr %v11, align 4
  store i64 %v12, ptr %v3, align 4
  %v13 = load i64, ptr %v8, align 4
  %v14 = getelementptr i8, ptr %v11, i64 24
  %v15 = load i64, ptr %v14, align 4
  %v16 = add i64 %v15, %v13
  store i64 %v16, ptr %v8, align 4
  call void @free(ptr %v11)
  %v17 = load i64, ptr %v3, align 4
  %v18 = icmp eq i64 %v17, 0
  br i1 %v18, label %v6, label %v9
v6:
  %v19 = icmp eq i64 %v0, 0
  br i1 %v19, label %v20, label %v21
v21:
  %v22 = phi i64 [ %v23, %v24 ], [ %v0, %v6 ]
  %v25 = phi i64 [ %v26, %v24 ], [ 0, %v6 ]
  %v27 = inttoptr i64 %v22 to ptr
  %v28 = getelementptr i8, ptr %v27, i64 80
  %v29 = load i64, ptr %v28, align 4
  %v26 = add i64 %v29, %v25
  %v30 = getelementptr i8, ptr %v27, i64 96
  %v23 = load i64, ptr %v30, align 4
  %v31 = icmp sgt i64 %v26, 67108864
  %v32 = icmp ne i64 %v23, 0
  %v33 = select i1 %v31, i1 %v32, i1 false
  br i1 %v33, label %v34, label %v24
v34:
  %v35 = phi i64 [ %v36, %v34 ], [ %v23, %v21 ]
  %v37 = inttoptr i64 %v35 to ptr
  %v38 = getelementptr i8, ptr %v37, i64 96
  %v36 = load i64, ptr %v38, align 4
  call void @free(ptr %v37)
  %v39 = icmp eq i64 %v36, 0
  br i1 %v39, label %v40, label %v34
v40:
  %v41 = getelementptr i8, ptr %v27, i64 96
  store i64 0, ptr %v41, align 4
  br label %v20
v24:
  br i1 %v32, label %v21, label %v20
v20:
  br label %v42
v43:
  %v44 = getelementptr i8, ptr %v45, i64 48
  %v46 = load i64, ptr %v44, align 4
  %v47 = inttoptr i64 %v46 to ptr
  call void @free(ptr %v47)
  store i64 0, ptr %v44, align 4
  store i64 0, ptr %v48, align 4
  br label %v49
v49:
  br i1 %v50, label %v51, label %v42
v51:
  %v52 = phi i64 [ %v53, %v54 ], [ 0, %v49 ]
  %v55 = phi i64 [ %v56, %v54 ], [ %v0, %v49 ]
  %v57 = icmp eq i64 %v52, 16
  br i1 %v57, label %v58, label %v54
v58:
  %v59 = inttoptr i64 %v55 to ptr
  %v60 = getelementptr i8, ptr %v59, i64 48
  %v61 = load i64, ptr %v60, align 4
  %v62 = inttoptr i64 %v61 to ptr
  call void @free(ptr %v62)
  %v63 = getelementptr i8, ptr %v59, i64 64
  %v64 = load i64, ptr %v63, align 4
  %v65 = inttoptr i64 %v64 to ptr
  call void @free(ptr %v65)
  %v66 = icmp eq i64 %v55, 0
  br i1 %v66, label %v67, label %v68
v68:
  %v69 = phi i64 [ %v70, %v68 ], [ %v55, %v58 ]
  %v71 = inttoptr i64 %v69 to ptr
  %v72 = getelementptr i8, ptr %v71, i64 96
  %v70 = load i64, ptr %v72, align 4
  call void @free(ptr %v71)
  %v73 = icmp eq i64 %v70, 0
  br i1 %v73, label %v67, label %v68
v42:
  %v50 = phi i1 [ true, %v49 ], [ false, %v20 ]
  %v74 = phi i64 [ 16, %v49 ], [ 0, %v20 ]
  %v45 = getelementptr i8, ptr %v2, i64 %v74
  %v48 = getelementptr i8, ptr %v45, i64 56
  %v75 = load i64, ptr %v48, align 4
  %v76 = icmp sgt i64 %v75, 67108864
  br i1 %v76, label %v43, label %v49
v54:
  %v53 = add nuw nsw i64 %v52, 1
  %v77 = getelementptr i64, ptr @nbgrad_at_rest, i64 %v52
  %v56 = atomicrmw xchg ptr %v77, i64 %v55 seq_cst, align 8
  %v78 = icmp eq i64 %v56, 0
  br i1 %v78, label %v67, label %v51
v67:
  ret ptr null
}
define ptr @nbgrad_tape_cotangents(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 8
  %v5 = load i64, ptr %v4, align 4
  %v6 = mul i64 %v5, %v1
  %v7 = getelementptr i8, ptr %v3, i64 40
  %v8 = load i64, ptr %v7, align 4
  %v9 = icmp eq i64 %v8, 0
  br i1 %v9, label %v10, label %v11
v10:
  %v12 = shl i64 %v6, 3
  %v13 = getelementptr i8, ptr %v3, i64 64
  %v14 = load i64, ptr %v13, align 4
  %v15 = icmp eq i64 %v14, 0
  br i1 %v15, label %v16, label %v17
v17:
  %v18 = getelementptr i8, ptr %v3, i64 72
  %v19 = load i64, ptr %v18, align 4
  %v20 = icmp slt i64 %v19, %v12
  br i1 %v20, label %v16, label %v21
v16:
  %v22 = inttoptr i64 %v14 to ptr
  call void @free(ptr %v22)
  %v23 = call i64 @llvm.smax.i64(i64 %v12, i64 64)
  %v24 = call ptr @malloc(i64 %v23)
  %v25 = icmp sgt i64 %v12, 4194303
  %v26 = icmp ne ptr %v24, null
  %v27 = and i1 %v25, %v26
  br i1 %v27, label %v28, label %v29
v28:
  %v30 = ptrtoint ptr %v24 to i64
  %v31 = add i64 %v30, 2097151
  %v32 = and i64 %v31, -2097152
  %v33 = inttoptr i64 %v32 to ptr
  %v34 = add nsw i64 %v23, -2097152
  %v35 = call i32 @madvise(ptr %v33, i64 %v34, i32 14)
  br label %v29
v29:
  %v36 = ptrtoint ptr %v24 to i64
  store i64 %v36, ptr %v13, align 4
  %v37 = getelementptr i8, ptr %v3, i64 72
  store i64 %v12, ptr %v37, align 4
  br label %v21
v21:
  %v38 = load i64, ptr %v13, align 4
  br label %v11
v11:
  %v39 = phi i64 [ %v38, %v21 ], [ 0, %v2 ]
  %v40 = icmp eq i64 %v39, 0
  br i1 %v40, label %v41, label %v42
v41:
  %v43 = getelementptr i8, ptr %v3, i64 152
  store i64 2, ptr %v43, align 4
  br label %v44
v42:
  %v45 = shl i64 %v6, 3
  %v46 = inttoptr i64 %v39 to ptr
  %v47 = call ptr @memset(ptr %v46, i32 0, i64 %v45)
  br label %v44
v44:
  ret ptr null
}
define double @nbgrad_tape_cotangent(i64 %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 64
  %v6 = load i64, ptr %v5, align 4
  %v7 = getelementptr i8, ptr %v4, i64 8
  %v8 = load i64, ptr %v7, align 4
  %v9 = mul i64 %v8, %v1
  %v10 = inttoptr i64 %v6 to ptr
  %v11 = getelementptr double, ptr %v10, i64 %v9
  %v12 = getelementptr double, ptr %v11, i64 %v2
  %v13 = load double, ptr %v12, align 4
  ret double %v13
}
define ptr @nbgrad_tape_add_cotangent(i64 %v0, i64 %v1, double %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 152
  %v6 = load i64, ptr %v5, align 4
  %v7 = icmp ne i64 %v6, 0
  %v8 = icmp eq i64 %v1, 0
  %v9 = select i1 %v7, i1 true, i1 %v8
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = getelementptr i8, ptr %v4, i64 64
  %v13 = load i64, ptr %v12, align 4
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr double, ptr %v14, i64 %v1
  %v16 = load double, ptr %v15, align 4
  %v17 = fadd double %v2, %v16
  store double %v17, ptr %v15, align 4
  br label %v10
v10:
  ret ptr null
}
define i64 @nbgrad_tape_sweep(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 152
  %v5 = load i64, ptr %v4, align 4
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v7:
  %v9 = getelementptr i8, ptr %v3, i64 24
  %v10 = load i64, ptr %v9, align 4
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v8, label %v12
v12:
  %v13 = getelementptr i8, ptr %v3, i64 64
  %v14 = load i64, ptr %v13, align 4
  %v15 = getelementptr i8, ptr %v3, i64 8
  %v16 = load i64, ptr %v15, align 4
  %v17 = shl i64 %v16, 3
  %v18 = add i64 %v14, %v17
  %v19 = inttoptr i64 %v14 to ptr
  %v20 = inttoptr i64 %v18 to ptr
  %v21 = inttoptr i64 %v1 to ptr
  %v22 = load i64, ptr %v3, align 4
  %v23 = call i64 %v21(i64 %v22, i64 %v16, ptr %v19, ptr %v20)
  %v24 = inttoptr i64 %v10 to ptr
  %v25 = getelementptr i8, ptr %v24, i64 88
  %v26 = load i64, ptr %v25, align 4
  %v27 = icmp eq i64 %v26, 0
  br i1 %v27, label %v8, label %v28
v28:
  %v29 = phi i64 [ %v30, %v28 ], [ %v26, %v12 ]
  %v31 = phi i64 [ %v32, %v28 ], [ %v23, %v12 ]
  %v33 = inttoptr i64 %v29 to ptr
  %v34 = getelementptr i8, ptr %v33, i64 104
  %v35 = load i64, ptr %v34, align 4
  %v32 = call i64 %v21(i64 %v35, i64 %v31, ptr %v19, ptr %v20)
  %v36 = inttoptr i64 %v29 to ptr
  %v37 = getelementptr i8, ptr %v36, i64 88
  %v30 = load i64, ptr %v37, align 4
  %v38 = icmp eq i64 %v30, 0
  br i1 %v38, label %v8, label %v28
v8:
  %v39 = load i64, ptr %v4, align 4
  ret i64 %v39
}
define i64 @nbgrad_tape_note_of(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 168
  %v5 = load i64, ptr %v4, align 4
  %v6 = mul i64 %v1, 48
  %v7 = add i64 %v5, %v6
  ret i64 %v7
}
define i64 @nbgrad_tape_begin_array(i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4) nounwind "no-jump-tables"="true" "no-builtins" {
v5:
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 168
  %v8 = load i64, ptr %v7, align 4
  %v9 = mul i64 %v1, 48
  %v10 = add i64 %v8, %v9
  %v11 = getelementptr i8, ptr %v6, i64 160
  %v12 = load i64, ptr %v11, align 4
  %v13 = inttoptr i64 %v10 to ptr
  %v14 = getelementptr i8, ptr %v13, i64 24
  store i64 %v12, ptr %v14, align 4
  %v15 = getelementptr i8, ptr %v6, i64 48
  %v16 = load i64, ptr %v15, align 4
  %v17 = shl i64 %v4, 3
  %v18 = add i64 %v12, -1
  %v19 = mul i64 %v17, %v18
  %v20 = add i64 %v16, %v19
  %v21 = getelementptr i8, ptr %v13, i64 32
  store i64 %v20, ptr %v21, align 4
  %v22 = getelementptr i8, ptr %v13, i64 40
  store i64 %v3, ptr %v22, align 4
  %v23 = add i64 %v12, %v2
  store i64 %v23, ptr %v11, align 4
  ret i64 %v12
}
define i64 @nbgrad_tape_are_shared(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = icmp slt i64 %v1, 1
  br i1 %v3, label %v4, label %v5
v5:
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 168
  %v8 = load i64, ptr %v7, align 4
  br label %v9
v10:
  %v11 = icmp eq i64 %v12, %v1
  br i1 %v11, label %v4, label %v9
v13:
  %v14 = load i64, ptr %v15, align 4
  %v16 = load i64, ptr %v17, align 4
  %v18 = icmp slt i64 %v14, %v16
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = load i64, ptr %v22, align 4
  %v23 = getelementptr i8, ptr %v15, i64 16
  %v24 = load i64, ptr %v23, align 4
  %v25 = add i64 %v24, %v21
  %v26 = icmp sgt i64 %v25, 0
  br i1 %v26, label %v4, label %v20
v20:
  %v27 = icmp eq i64 %v28, %v29
  br i1 %v27, label %v10, label %v30
v9:
  %v29 = phi i64 [ 0, %v5 ], [ %v12, %v10 ]
  %v12 = add nuw nsw i64 %v29, 1
  %v31 = icmp eq i64 %v29, 0
  br i1 %v31, label %v10, label %v32
v32:
  %v33 = mul i64 %v29, 48
  %v34 = add i64 %v8, %v33
  %v35 = inttoptr i64 %v34 to ptr
  %v36 = load i64, ptr %v35, align 4
  %v17 = getelementptr i8, ptr %v35, i64 8
  %v22 = getelementptr i8, ptr %v35, i64 16
  br label %v30
v30:
  %v37 = phi i64 [ 0, %v32 ], [ %v28, %v20 ]
  %v28 = add nuw nsw i64 %v37, 1
  %v38 = mul i64 %v37, 48
  %v39 = add i64 %v38, %v8
  %v15 = inttoptr i64 %v39 to ptr
  %v40 = getelementptr i8, ptr %v15, i64 8
  %v41 = load i64, ptr %v40, align 4
  %v42 = icmp slt i64 %v36, %v41
  br i1 %v42, label %v13, label %v20
v4:
  %v43 = phi i64 [ 0, %v2 ], [ 1, %v19 ], [ 0, %v10 ]
  ret i64 %v43
}
define ptr @nbgrad_tape_refuse_shared(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = icmp slt i64 %v1, 1
  br i1 %v3, label %v4, label %v5
v5:
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 168
  %v8 = load i64, ptr %v7, align 4
  br label %v9
v10:
  %v11 = icmp eq i64 %v12, %v1
  br i1 %v11, label %v4, label %v9
v13:
  %v14 = load i64, ptr %v15, align 4
  %v16 = load i64, ptr %v17, align 4
  %v18 = icmp slt i64 %v14, %v16
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = load i64, ptr %v22, align 4
  %v23 = getelementptr i8, ptr %v15, i64 16
  %v24 = load i64, ptr %v23, align 4
  %v25 = add i64 %v24, %v21
  %v26 = icmp sgt i64 %v25, 0
  br i1 %v26, label %v27, label %v20
v20:
  %v28 = icmp eq i64 %v29, %v30
  br i1 %v28, label %v10, label %v31
v9:
  %v30 = phi i64 [ 0, %v5 ], [ %v12, %v10 ]
  %v12 = add nuw nsw i64 %v30, 1
  %v32 = icmp eq i64 %v30, 0
  br i1 %v32, label %v10, label %v33
v33:
  %v34 = mul i64 %v30, 48
  %v35 = add i64 %v8, %v34
  %v36 = inttoptr i64 %v35 to ptr
  %v37 = load i64, ptr %v36, align 4
  %v17 = getelementptr i8, ptr %v36, i64 8
  %v22 = getelementptr i8, ptr %v36, i64 16
  br label %v31
v31:
  %v38 = phi i64 [ 0, %v33 ], [ %v29, %v20 ]
  %v29 = add nuw nsw i64 %v38, 1
  %v39 = mul i64 %v38, 48
  %v40 = add i64 %v39, %v8
  %v15 = inttoptr i64 %v40 to ptr
  %v41 = getelementptr i8, ptr %v15, i64 8
  %v42 = load i64, ptr %v41, align 4
  %v43 = icmp slt i64 %v37, %v42
  br i1 %v43, label %v13, label %v20
v27:
  %v44 = inttoptr i64 %v0 to ptr
  %v45 = getelementptr i8, ptr %v44, i64 152
  store i64 3, ptr %v45, align 4
  br label %v4
v4:
  ret ptr null
}
define i64 @nbgrad_tape_floats(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 48
  %v5 = load i64, ptr %v4, align 4
  %v6 = shl i64 %v1, 4
  %v7 = getelementptr i8, ptr %v3, i64 %v6
  %v8 = getelementptr i8, ptr %v7, i64 56
  %v9 = load i64, ptr %v8, align 4
  %v10 = mul i64 %v9, %v5
  %v11 = getelementptr i8, ptr %v7, i64 64
  %v12 = load i64, ptr %v11, align 4
  %v13 = mul i64 %v10, %v12
  ret i64 %v13
}
define i64 @nbgrad_tape_jet_at(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = add i64 %v0, 104
  %v4 = icmp slt i64 %v1, 1
  br i1 %v4, label %v5, label %v6
v6:
  %v7 = inttoptr i64 %v0 to ptr
  %v8 = getelementptr i8, ptr %v7, i64 48
  %v9 = inttoptr i64 %v0 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 40
  %v11 = getelementptr i8, ptr %v9, i64 48
  br label %v12
v13:
  %v14 = load i64, ptr %v10, align 4
  %v15 = load i64, ptr %v11, align 4
  %v16 = shl nuw nsw i64 %v17, 4
  %v18 = getelementptr i8, ptr %v9, i64 %v16
  %v19 = getelementptr i8, ptr %v18, i64 56
  %v20 = load i64, ptr %v19, align 4
  %v21 = getelementptr i8, ptr %v18, i64 64
  %v22 = load i64, ptr %v21, align 4
  %v23 = shl i64 %v14, 3
  %v24 = mul i64 %v23, %v15
  %v25 = mul i64 %v24, %v20
  %v26 = mul i64 %v25, %v22
  br label %v27
v28:
  %v29 = load i64, ptr %v8, align 4
  %v30 = shl i64 %v17, 4
  %v31 = getelementptr i8, ptr %v7, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 8
  %v33 = load i64, ptr %v32, align 4
  %v34 = getelementptr i8, ptr %v31, i64 16
  %v35 = load i64, ptr %v34, align 4
  %v36 = shl i64 %v29, 3
  %v37 = mul i64 %v36, %v33
  %v38 = mul i64 %v37, %v35
  br label %v27
v27:
  %v39 = phi i64 [ %v26, %v13 ], [ %v38, %v28 ]
  %v40 = add i64 %v39, %v41
  %v42 = icmp eq i64 %v43, %v1
  br i1 %v42, label %v5, label %v12
v12:
  %v41 = phi i64 [ %v3, %v6 ], [ %v40, %v27 ]
  %v17 = phi i64 [ 0, %v6 ], [ %v43, %v27 ]
  %v43 = add nuw nsw i64 %v17, 1
  %v44 = icmp ult i64 %v17, 3
  br i1 %v44, label %v13, label %v28
v5:
  %v45 = phi i64 [ %v3, %v2 ], [ %v40, %v27 ]
  ret i64 %v45
}
define i64 @nbgrad_tape_open_step(i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4, i64 %v5, i64 %v6, i64 %v7, i64 %v8, i64 %v9) nounwind "no-jump-tables"="true" "no-builtins" {
v10:
  %v11 = mul i64 %v5, %v4
  %v12 = mul i64 %v7, %v6
  %v13 = add i64 %v12, %v11
  %v14 = mul i64 %v9, %v8
  %v15 = add i64 %v14, %v13
  %v16 = mul i64 %v15, %v2
  %v17 = add i64 %v16, %v13
  %v18 = mul i64 %v17, %v3
  %v19 = shl i64 %v18, 3
  %v20 = add i64 %v19, 104
  %v21 = inttoptr i64 %v0 to ptr
  %v22 = getelementptr i8, ptr %v21, i64 144
  %v23 = load i64, ptr %v22, align 4
  %v24 = icmp eq i64 %v23, 0
  br i1 %v24, label %v25, label %v26
v26:
  %v27 = inttoptr i64 %v23 to ptr
  %v28 = getelementptr i8, ptr %v27, i64 16
  %v29 = load i64, ptr %v28, align 4
  %v30 = icmp eq i64 %v29, 0
  br i1 %v30, label %v31, label %v25
v31:
  %v32 = load i64, ptr %v27, align 4
  store i64 %v32, ptr %v22, align 4
  %v33 = getelementptr i8, ptr %v21, i64 32
  %v34 = load i64, ptr %v33, align 4
  %v35 = getelementptr i8, ptr %v27, i64 24
  %v36 = load i64, ptr %v35, align 4
  %v37 = add i64 %v36, %v34
  store i64 %v37, ptr %v33, align 4
  call void @free(ptr %v27)
  br label %v25
v25:
  %v38 = load i64, ptr %v22, align 4
  %v39 = getelementptr i8, ptr %v21, i64 40
  %v40 = load i64, ptr %v39, align 4
  %v41 = icmp eq i64 %v40, 0
  br i1 %v41, label %v42, label %v43
v42:
  %v44 = getelementptr i8, ptr %v21, i64 128
  %v45 = load i64, ptr %v44, align 4
  %v46 = load i64, ptr %v21, align 4
  %v47 = getelementptr i8, ptr %v21, i64 24
  %v48 = load i64, ptr %v47, align 4
  %v49 = add i64 %v45, %v20
  %v50 = add i64 %v49, %v46
  %v51 = sub i64 %v50, %v48
  %v52 = getelementptr i8, ptr %v21, i64 32
  %v53 = load i64, ptr %v52, align 4
  %v54 = icmp slt i64 %v51, %v53
  br i1 %v54, label %v55, label %v43
v55:
  %v56 = call ptr @malloc(i64 %v20)
  %v57 = icmp ugt i64 %v20, 4194303
  %v58 = icmp ne ptr %v56, null
  %v59 = and i1 %v57, %v58
  br i1 %v59, label %v60, label %v61
v43:
  %v62 = phi i64 [ %v63, %v61 ], [ 0, %v42 ], [ 0, %v25 ]
  %v64 = icmp eq i64 %v62, 0
  br i1 %v64, label %v65, label %v66
v66:
  %v67 = inttoptr i64 %v62 to ptr
  store i64 %v38, ptr %v67, align 4
  %v68 = getelementptr i8, ptr %v67, i64 8
  store i64 %v1, ptr %v68, align 4
  %v69 = getelementptr i8, ptr %v67, i64 16
  store i64 0, ptr %v69, align 4
  %v70 = getelementptr i8, ptr %v67, i64 24
  store i64 %v20, ptr %v70, align 4
  %v71 = getelementptr i8, ptr %v67, i64 32
  store i64 %v0, ptr %v71, align 4
  %v72 = getelementptr i8, ptr %v67, i64 40
  store i64 %v2, ptr %v72, align 4
  %v73 = getelementptr i8, ptr %v67, i64 48
  store i64 %v3, ptr %v73, align 4
  %v74 = getelementptr i8, ptr %v67, i64 56
  store i64 %v4, ptr %v74, align 4
  %v75 = getelementptr i8, ptr %v67, i64 64
  store i64 %v5, ptr %v75, align 4
  %v76 = getelementptr i8, ptr %v67, i64 72
  store i64 %v6, ptr %v76, align 4
  %v77 = getelementptr i8, ptr %v67, i64 80
  store i64 %v7, ptr %v77, align 4
  %v78 = getelementptr i8, ptr %v67, i64 88
  store i64 %v8, ptr %v78, align 4
  %v79 = getelementptr i8, ptr %v67, i64 96
  store i64 %v9, ptr %v79, align 4
  %v80 = getelementptr i8, ptr %v21, i64 32
  %v81 = load i64, ptr %v80, align 4
  %v82 = sub i64 %v81, %v20
  store i64 %v82, ptr %v80, align 4
  store i64 %v62, ptr %v22, align 4
  br label %v65
v60:
  %v83 = ptrtoint ptr %v56 to i64
  %v84 = add i64 %v83, 2097151
  %v85 = and i64 %v84, -2097152
  %v86 = inttoptr i64 %v85 to ptr
  %v87 = add i64 %v19, -2097048
  %v88 = call i32 @madvise(ptr %v86, i64 %v87, i32 14)
  br label %v61
v61:
  %v63 = ptrtoint ptr %v56 to i64
  br label %v43
v65:
  ret i64 %v62
}
define i64 @nbgrad_tape_placed(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v1 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 48
  %v5 = load i64, ptr %v4, align 4
  %v6 = getelementptr i8, ptr %v3, i64 56
  %v7 = load i64, ptr %v6, align 4
  %v8 = getelementptr i8, ptr %v3, i64 64
  %v9 = load i64, ptr %v8, align 4
  %v10 = getelementptr i8, ptr %v3, i64 72
  %v11 = load i64, ptr %v10, align 4
  %v12 = getelementptr i8, ptr %v3, i64 80
  %v13 = load i64, ptr %v12, align 4
  %v14 = add i64 %v1, 104
  %v15 = getelementptr i8, ptr %v3, i64 40
  %v16 = shl i64 %v5, 3
  %v17 = load i64, ptr %v15, align 4
  %v18 = mul i64 %v16, %v17
  br label %v19
v19:
  %v20 = phi i64 [ %v14, %v2 ], [ %v21, %v19 ]
  %v22 = phi i64 [ 0, %v2 ], [ %v23, %v19 ]
  %v23 = add nuw nsw i64 %v22, 1
  %v24 = shl nuw nsw i64 %v22, 4
  %v25 = getelementptr i8, ptr %v3, i64 %v24
  %v26 = getelementptr i8, ptr %v25, i64 56
  %v27 = load i64, ptr %v26, align 4
  %v28 = mul i64 %v18, %v27
  %v29 = getelementptr i8, ptr %v25, i64 64
  %v30 = load i64, ptr %v29, align 4
  %v31 = mul i64 %v28, %v30
  %v21 = add i64 %v31, %v20
  %v32 = icmp eq i64 %v23, 3
  br i1 %v32, label %v33, label %v19
v33:
  %v34 = mul i64 %v9, %v7
  %v35 = getelementptr i8, ptr %v3, i64 16
  %v36 = mul i64 %v13, %v11
  %v37 = add i64 %v36, %v34
  %v38 = mul i64 %v37, %v5
  %v39 = icmp slt i64 %v38, 1
  br i1 %v39, label %v40, label %v41
v41:
  %v42 = inttoptr i64 %v21 to ptr
  br label %v43
v44:
  %v45 = icmp eq i64 %v46, 0
  br i1 %v45, label %v40, label %v47
v47:
  %v48 = inttoptr i64 %v0 to ptr
  %v49 = load i64, ptr %v48, align 4
  %v50 = add i64 %v49, 16
  %v51 = getelementptr i8, ptr %v48, i64 16
  %v52 = load i64, ptr %v51, align 4
  %v53 = icmp sgt i64 %v50, %v52
  br i1 %v53, label %v54, label %v55
v54:
  %v56 = getelementptr i8, ptr %v48, i64 24
  %v57 = load i64, ptr %v56, align 4
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = getelementptr i8, ptr %v58, i64 104
  store i64 %v49, ptr %v59, align 4
  %v60 = getelementptr i8, ptr %v48, i64 128
  %v61 = load i64, ptr %v60, align 4
  %v62 = load i64, ptr %v48, align 4
  %v63 = sub i64 %v61, %v57
  %v64 = add i64 %v63, -176
  %v65 = add i64 %v64, %v62
  %v66 = getelementptr i8, ptr %v58, i64 96
  %v67 = load i64, ptr %v66, align 4
  %v68 = getelementptr i8, ptr %v48, i64 32
  %v69 = load i64, ptr %v68, align 4
  %v70 = icmp slt i64 %v65, %v69
  br i1 %v70, label %v71, label %v72
v71:
  %v73 = getelementptr i8, ptr %v48, i64 8
  %v74 = load i64, ptr %v73, align 4
  %v75 = icmp sgt i64 %v74, 4261412863
  br label %v72
v72:
  %v76 = phi i1 [ %v75, %v71 ], [ true, %v54 ]
  %v77 = icmp ne i64 %v67, 0
  %v78 = select i1 %v77, i1 true, i1 %v76
  br i1 %v78, label %v79, label %v80
v80:
  %v81 = getelementptr i8, ptr %v58, i64 80
  %v82 = load i64, ptr %v81, align 4
  %v83 = shl i64 %v82, 1
  %v84 = call i64 @llvm.smin.i64(i64 %v83, i64 134217728)
  %v85 = add nsw i64 %v84, 176
  %v86 = call ptr @malloc(i64 %v85)
  %v87 = icmp ugt i64 %v85, 4194303
  %v88 = icmp ne ptr %v86, null
  %v89 = and i1 %v88, %v87
  br i1 %v89, label %v90, label %v91
v92:
  %v93 = getelementptr i8, ptr %v86, i64 80
  store i64 %v84, ptr %v93, align 4
  store i64 %v94, ptr %v66, align 4
  %v95 = getelementptr i8, ptr %v86, i64 88
  store i64 %v57, ptr %v95, align 4
  br label %v79
v90:
  %v96 = ptrtoint ptr %v86 to i64
  %v97 = add i64 %v96, 2097151
  %v98 = and i64 %v97, -2097152
  %v99 = inttoptr i64 %v98 to ptr
  %v100 = add i64 %v84, -2096976
  %v101 = call i32 @madvise(ptr %v99, i64 %v100, i32 14)
  br label %v91
v91:
  %v94 = ptrtoint ptr %v86 to i64
  %v102 = icmp eq ptr %v86, null
  br i1 %v102, label %v79, label %v103
v103:
  %v104 = phi i64 [ %v105, %v103 ], [ 0, %v91 ]
  %v105 = add nuw nsw i64 %v104, 1
  %v106 = getelementptr i64, ptr %v86, i64 %v104
  store i64 0, ptr %v106, align 4
  %v107 = icmp eq i64 %v105, 22
  br i1 %v107, label %v92, label %v103
v79:
  %v108 = phi i64 [ %v94, %v92 ], [ 0, %v91 ], [ %v67, %v72 ]
  %v109 = icmp eq i64 %v108, 0
  %v110 = select i1 %v109, i1 true, i1 %v76
  br i1 %v110, label %v111, label %v112
v111:
  %v113 = getelementptr i8, ptr %v48, i64 40
  store i64 1, ptr %v113, align 4
  store i64 0, ptr %v60, align 4
  %v114 = getelementptr i8, ptr %v48, i64 152
  store i64 0, ptr %v114, align 4
  %v115 = getelementptr i8, ptr %v48, i64 112
  %v116 = load i64, ptr %v115, align 4
  %v117 = getelementptr i8, ptr %v48, i64 8
  store i64 %v116, ptr %v117, align 4
  store i64 %v0, ptr %v56, align 4
  %v118 = add i64 %v0, 176
  store i64 %v118, ptr %v48, align 4
  br label %v119
v112:
  store i64 %v65, ptr %v60, align 4
  store i64 %v108, ptr %v56, align 4
  %v120 = add i64 %v108, 176
  store i64 %v120, ptr %v48, align 4
  %v121 = inttoptr i64 %v108 to ptr
  br label %v119
v119:
  %v122 = phi ptr [ %v121, %v112 ], [ %v48, %v111 ]
  %v123 = phi i64 [ %v120, %v112 ], [ %v118, %v111 ]
  %v124 = getelementptr i8, ptr %v122, i64 80
  %v125 = load i64, ptr %v124, align 4
  %v126 = add i64 %v125, %v123
  store i64 %v126, ptr %v51, align 4
  br label %v55
v55:
  %v127 = getelementptr i8, ptr %v48, i64 40
  %v128 = load i64, ptr %v127, align 4
  %v129 = icmp eq i64 %v128, 0
  br i1 %v129, label %v130, label %v40
v130:
  %v131 = load i64, ptr %v48, align 4
  %v132 = getelementptr i8, ptr %v48, i64 8
  %v133 = load i64, ptr %v132, align 4
  %v134 = inttoptr i64 %v131 to ptr
  store i64 %v1, ptr %v134, align 4
  %v135 = getelementptr i8, ptr %v134, i64 8
  store i64 9223372032559808512, ptr %v135, align 4
  %v136 = add i64 %v131, 16
  store i64 %v136, ptr %v48, align 4
  %v137 = load i64, ptr %v4, align 4
  %v138 = getelementptr i8, ptr %v3, i64 88
  %v139 = load i64, ptr %v138, align 4
  %v140 = mul i64 %v139, %v137
  %v141 = getelementptr i8, ptr %v3, i64 96
  %v142 = load i64, ptr %v141, align 4
  %v143 = mul i64 %v140, %v142
  %v144 = add i64 %v143, %v133
  store i64 %v144, ptr %v132, align 4
  store i64 %v133, ptr %v35, align 4
  br label %v40
v43:
  %v145 = phi i64 [ 0, %v41 ], [ %v46, %v43 ]
  %v146 = phi i64 [ 0, %v41 ], [ %v147, %v43 ]
  %v147 = add nuw nsw i64 %v146, 1
  %v148 = getelementptr i64, ptr %v42, i64 %v146
  %v149 = load i64, ptr %v148, align 4
  %v46 = or i64 %v149, %v145
  %v150 = icmp eq i64 %v147, %v38
  br i1 %v150, label %v44, label %v43
v40:
  %v151 = phi i64 [ 0, %v44 ], [ %v133, %v130 ], [ 0, %v55 ], [ 0, %v33 ]
  ret i64 %v151
}
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
