; numba 0.68.1, llvmlite 0.50.0, Python 3.11
@nbgrad_at_rest = external global i64
define i64 @nbgrad_tape_open_tape(i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
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
  store i64 131072, ptr %v25, align 1
  br label %v19
v23:
  %v26 = phi i64 [ %v27, %v23 ], [ 0, %v18 ]
  %v27 = add nuw nsw i64 %v26, 1
  %v28 = getelementptr i64, ptr %v20, i64 %v26
  store i64 0, ptr %v28, align 1
  %v29 = icmp eq i64 %v27, 22
  br i1 %v29, label %v24, label %v23
v19:
  %v30 = phi i64 [ %v15, %v14 ], [ %v21, %v24 ], [ %v21, %v18 ]
  %v31 = icmp eq i64 %v30, 0
  br i1 %v31, label %v8, label %v32
v32:
  %v33 = inttoptr i64 %v30 to ptr
  %v34 = getelementptr i8, ptr %v33, i64 32
  store i64 %v4, ptr %v34, align 1
  %v35 = add nsw i64 %v6, 1
  %v36 = getelementptr i8, ptr %v33, i64 112
  store i64 %v35, ptr %v36, align 1
  %v37 = add i64 %v0, 1
  %v38 = getelementptr i8, ptr %v33, i64 160
  store i64 %v37, ptr %v38, align 1
  %v39 = getelementptr i8, ptr %v33, i64 40
  store i64 0, ptr %v39, align 1
  %v40 = getelementptr i8, ptr %v33, i64 128
  store i64 0, ptr %v40, align 1
  %v41 = getelementptr i8, ptr %v33, i64 152
  store i64 0, ptr %v41, align 1
  %v42 = getelementptr i8, ptr %v33, i64 8
  store i64 %v35, ptr %v42, align 1
  %v43 = getelementptr i8, ptr %v33, i64 24
  store i64 %v30, ptr %v43, align 1
  %v44 = add i64 %v30, 176
  store i64 %v44, ptr %v33, align 1
  %v45 = getelementptr i8, ptr %v33, i64 80
  %v46 = load i64, ptr %v45, align 1
  %v47 = add i64 %v46, %v44
  %v48 = getelementptr i8, ptr %v33, i64 16
  store i64 %v47, ptr %v48, align 1
  %v49 = shl i64 %v3, 3
  %v50 = mul i64 %v49, %v6
  %v51 = mul i64 %v2, 48
  %v52 = add i64 %v50, %v51
  %v53 = getelementptr i8, ptr %v33, i64 48
  %v54 = load i64, ptr %v53, align 1
  %v55 = icmp eq i64 %v54, 0
  br i1 %v55, label %v56, label %v57
v57:
  %v58 = getelementptr i8, ptr %v33, i64 56
  %v59 = load i64, ptr %v58, align 1
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
  %v73 = add nsw i64 %v63, -2097152
  %v74 = inttoptr i64 %v72 to ptr
  %v75 = call i32 @madvise(ptr %v74, i64 %v73, i32 14)
  br label %v69
v69:
  %v76 = ptrtoint ptr %v64 to i64
  store i64 %v76, ptr %v53, align 1
  %v77 = getelementptr i8, ptr %v33, i64 56
  store i64 %v52, ptr %v77, align 1
  br label %v61
v61:
  %v78 = load i64, ptr %v53, align 1
  %v79 = icmp eq i64 %v78, 0
  br i1 %v79, label %v80, label %v81
v80:
  %v82 = getelementptr i8, ptr %v33, i64 144
  %v83 = load i64, ptr %v82, align 1
  %v84 = icmp eq i64 %v83, 0
  br i1 %v84, label %v85, label %v86
v86:
  %v87 = load i64, ptr %v82, align 1
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v88, align 1
  store i64 %v89, ptr %v82, align 1
  %v90 = load i64, ptr %v34, align 1
  %v91 = getelementptr i8, ptr %v88, i64 24
  %v92 = load i64, ptr %v91, align 1
  %v93 = add i64 %v92, %v90
  store i64 %v93, ptr %v34, align 1
  call void @free(ptr %v88)
  %v94 = load i64, ptr %v82, align 1
  %v95 = icmp eq i64 %v94, 0
  br i1 %v95, label %v85, label %v86
v85:
  br label %v96
v96:
  %v97 = phi i64 [ %v98, %v99 ], [ %v30, %v85 ]
  %v100 = phi i64 [ %v101, %v99 ], [ 0, %v85 ]
  %v102 = inttoptr i64 %v97 to ptr
  %v103 = getelementptr i8, ptr %v102, i64 80
  %v104 = load i64, ptr %v103, align 1
  %v101 = add i64 %v104, %v100
  %v105 = getelementptr i8, ptr %v102, i64 96
  %v98 = load i64, ptr %v105, align 1
  %v106 = icmp sgt i64 %v101, 67108864
  %v107 = icmp ne i64 %v98, 0
  %v108 = select i1 %v106, i1 %v107, i1 false
  br i1 %v108, label %v109, label %v99
v109:
  %v110 = phi i64 [ %v111, %v109 ], [ %v98, %v96 ]
  %v112 = inttoptr i64 %v110 to ptr
  %v113 = getelementptr i8, ptr %v112, i64 96
  %v111 = load i64, ptr %v113, align 1
  call void @free(ptr %v112)
  %v114 = icmp eq i64 %v111, 0
  br i1 %v114, label %v115, label %v109
v115:
  %v116 = getelementptr i8, ptr %v102, i64 96
  store i64 0, ptr %v116, align 1
  br label %v117
v99:
  br i1 %v107, label %v96, label %v117
v117:
  br label %v118
v119:
  %v120 = getelementptr i8, ptr %v121, i64 48
  %v122 = load i64, ptr %v120, align 1
  %v123 = inttoptr i64 %v122 to ptr
  call void @free(ptr %v123)
  store i64 0, ptr %v120, align 1
  store i64 0, ptr %v124, align 1
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
  %v137 = load i64, ptr %v136, align 1
  %v138 = inttoptr i64 %v137 to ptr
  call void @free(ptr %v138)
  %v139 = getelementptr i8, ptr %v135, i64 64
  %v140 = load i64, ptr %v139, align 1
  %v141 = inttoptr i64 %v140 to ptr
  call void @free(ptr %v141)
  br label %v142
v142:
  %v143 = phi i64 [ %v131, %v134 ], [ %v144, %v142 ]
  %v145 = inttoptr i64 %v143 to ptr
  %v146 = getelementptr i8, ptr %v145, i64 96
  %v144 = load i64, ptr %v146, align 1
  call void @free(ptr %v145)
  %v147 = icmp eq i64 %v144, 0
  br i1 %v147, label %v8, label %v142
v118:
  %v126 = phi i1 [ true, %v125 ], [ false, %v117 ]
  %v148 = phi i64 [ 16, %v125 ], [ 0, %v117 ]
  %v121 = getelementptr i8, ptr %v33, i64 %v148
  %v124 = getelementptr i8, ptr %v121, i64 56
  %v149 = load i64, ptr %v124, align 1
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
  store i64 %v153, ptr %v154, align 1
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
define ptr @nbgrad_tape_grow(i64 %v0) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = inttoptr i64 %v0 to ptr
  %v3 = getelementptr i8, ptr %v2, i64 24
  %v4 = load i64, ptr %v3, align 1
  %v5 = load i64, ptr %v2, align 1
  %v6 = inttoptr i64 %v4 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 104
  store i64 %v5, ptr %v7, align 1
  %v8 = getelementptr i8, ptr %v2, i64 128
  %v9 = load i64, ptr %v8, align 1
  %v10 = load i64, ptr %v2, align 1
  %v11 = sub i64 %v9, %v4
  %v12 = add i64 %v11, -176
  %v13 = add i64 %v12, %v10
  %v14 = getelementptr i8, ptr %v6, i64 96
  %v15 = load i64, ptr %v14, align 1
  %v16 = getelementptr i8, ptr %v2, i64 32
  %v17 = load i64, ptr %v16, align 1
  %v18 = icmp slt i64 %v13, %v17
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = getelementptr i8, ptr %v2, i64 8
  %v22 = load i64, ptr %v21, align 1
  %v23 = icmp sgt i64 %v22, 4261412863
  br label %v20
v20:
  %v24 = phi i1 [ %v23, %v19 ], [ true, %v1 ]
  %v25 = icmp ne i64 %v15, 0
  %v26 = select i1 %v25, i1 true, i1 %v24
  br i1 %v26, label %v27, label %v28
v28:
  %v29 = getelementptr i8, ptr %v6, i64 80
  %v30 = load i64, ptr %v29, align 1
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
  store i64 %v32, ptr %v41, align 1
  store i64 %v42, ptr %v14, align 1
  %v43 = getelementptr i8, ptr %v34, i64 88
  store i64 %v4, ptr %v43, align 1
  br label %v27
v38:
  %v44 = ptrtoint ptr %v34 to i64
  %v45 = add i64 %v44, 2097151
  %v46 = and i64 %v45, -2097152
  %v47 = add i64 %v32, -2096976
  %v48 = inttoptr i64 %v46 to ptr
  %v49 = call i32 @madvise(ptr %v48, i64 %v47, i32 14)
  br label %v39
v39:
  %v42 = ptrtoint ptr %v34 to i64
  %v50 = icmp eq ptr %v34, null
  br i1 %v50, label %v27, label %v51
v51:
  %v52 = phi i64 [ %v53, %v51 ], [ 0, %v39 ]
  %v53 = add nuw nsw i64 %v52, 1
  %v54 = getelementptr i64, ptr %v34, i64 %v52
  store i64 0, ptr %v54, align 1
  %v55 = icmp eq i64 %v53, 22
  br i1 %v55, label %v40, label %v51
v27:
  %v56 = phi i64 [ %v42, %v40 ], [ 0, %v39 ], [ %v15, %v20 ]
  %v57 = icmp eq i64 %v56, 0
  %v58 = select i1 %v57, i1 true, i1 %v24
  br i1 %v58, label %v59, label %v60
v59:
  %v61 = getelementptr i8, ptr %v2, i64 40
  store i64 1, ptr %v61, align 1
  store i64 0, ptr %v8, align 1
  %v62 = getelementptr i8, ptr %v2, i64 152
  store i64 0, ptr %v62, align 1
  %v63 = getelementptr i8, ptr %v2, i64 112
  %v64 = load i64, ptr %v63, align 1
  %v65 = getelementptr i8, ptr %v2, i64 8
  store i64 %v64, ptr %v65, align 1
  store i64 %v0, ptr %v3, align 1
  %v66 = add i64 %v0, 176
  store i64 %v66, ptr %v2, align 1
  br label %v67
v60:
  store i64 %v13, ptr %v8, align 1
  store i64 %v56, ptr %v3, align 1
  %v68 = add i64 %v56, 176
  store i64 %v68, ptr %v2, align 1
  %v69 = inttoptr i64 %v56 to ptr
  br label %v67
v67:
  %v70 = phi ptr [ %v2, %v59 ], [ %v69, %v60 ]
  %v71 = phi i64 [ %v66, %v59 ], [ %v68, %v60 ]
  %v72 = getelementptr i8, ptr %v70, i64 80
  %v73 = load i64, ptr %v72, align 1
  %v74 = add i64 %v73, %v71
  %v75 = getelementptr i8, ptr %v2, i64 16
  store i64 %v74, ptr %v75, align 1
  ret ptr null
}
define i64 @nbgrad_tape_block(i64 %v0, i64 %v1, i64 %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = shl i64 %v1, 4
  %v6 = getelementptr i8, ptr %v4, i64 %v5
  %v7 = getelementptr i8, ptr %v6, i64 48
  %v8 = load i64, ptr %v7, align 1
  %v9 = icmp eq i64 %v8, 0
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = getelementptr i8, ptr %v6, i64 56
  %v13 = load i64, ptr %v12, align 1
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
  %v27 = add nsw i64 %v17, -2097152
  %v28 = inttoptr i64 %v26 to ptr
  %v29 = call i32 @madvise(ptr %v28, i64 %v27, i32 14)
  br label %v23
v23:
  %v30 = ptrtoint ptr %v18 to i64
  store i64 %v30, ptr %v7, align 1
  %v31 = getelementptr i8, ptr %v6, i64 56
  store i64 %v2, ptr %v31, align 1
  br label %v15
v15:
  %v32 = load i64, ptr %v7, align 1
  ret i64 %v32
}
define i64 @nbgrad_tape_last_step(i64 %v0) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = inttoptr i64 %v0 to ptr
  %v3 = getelementptr i8, ptr %v2, i64 144
  %v4 = load i64, ptr %v3, align 1
  %v5 = icmp eq i64 %v4, 0
  br i1 %v5, label %v6, label %v7
v7:
  %v8 = inttoptr i64 %v4 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 16
  %v10 = load i64, ptr %v9, align 1
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v6
v12:
  %v13 = load i64, ptr %v8, align 1
  store i64 %v13, ptr %v3, align 1
  %v14 = getelementptr i8, ptr %v2, i64 32
  %v15 = load i64, ptr %v14, align 1
  %v16 = getelementptr i8, ptr %v8, i64 24
  %v17 = load i64, ptr %v16, align 1
  %v18 = add i64 %v17, %v15
  store i64 %v18, ptr %v14, align 1
  call void @free(ptr %v8)
  br label %v6
v6:
  %v19 = load i64, ptr %v3, align 1
  ret i64 %v19
}
define ptr @nbgrad_tape_close_tape(i64 %v0) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = inttoptr i64 %v0 to ptr
  %v3 = getelementptr i8, ptr %v2, i64 144
  %v4 = load i64, ptr %v3, align 1
  %v5 = icmp eq i64 %v4, 0
  br i1 %v5, label %v6, label %v7
v7:
  %v8 = getelementptr i8, ptr %v2, i64 32
  br label %v9
v9:
  %v10 = load i64, ptr %v3, align 1
  %v11 = inttoptr i64 %v10 to ptr
  %v12 = load i64, ptr %v11, align 1
  store i64 %v12, ptr %v3, align 1
  %v13 = load i64, ptr %v8, align 1
  %v14 = getelementptr i8, ptr %v11, i64 24
  %v15 = load i64, ptr %v14, align 1
  %v16 = add i64 %v15, %v13
  store i64 %v16, ptr %v8, align 1
  call void @free(ptr %v11)
  %v17 = load i64, ptr %v3, align 1
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
  %v29 = load i64, ptr %v28, align 1
  %v26 = add i64 %v29, %v25
  %v30 = getelementptr i8, ptr %v27, i64 96
  %v23 = load i64, ptr %v30, align 1
  %v31 = icmp sgt i64 %v26, 67108864
  %v32 = icmp ne i64 %v23, 0
  %v33 = select i1 %v31, i1 %v32, i1 false
  br i1 %v33, label %v34, label %v24
v34:
  %v35 = phi i64 [ %v36, %v34 ], [ %v23, %v21 ]
  %v37 = inttoptr i64 %v35 to ptr
  %v38 = getelementptr i8, ptr %v37, i64 96
  %v36 = load i64, ptr %v38, align 1
  call void @free(ptr %v37)
  %v39 = icmp eq i64 %v36, 0
  br i1 %v39, label %v40, label %v34
v40:
  %v41 = getelementptr i8, ptr %v27, i64 96
  store i64 0, ptr %v41, align 1
  br label %v20
v24:
  br i1 %v32, label %v21, label %v20
v20:
  br label %v42
v43:
  %v44 = getelementptr i8, ptr %v45, i64 48
  %v46 = load i64, ptr %v44, align 1
  %v47 = inttoptr i64 %v46 to ptr
  call void @free(ptr %v47)
  store i64 0, ptr %v44, align 1
  store i64 0, ptr %v48, align 1
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
  %v61 = load i64, ptr %v60, align 1
  %v62 = inttoptr i64 %v61 to ptr
  call void @free(ptr %v62)
  %v63 = getelementptr i8, ptr %v59, i64 64
  %v64 = load i64, ptr %v63, align 1
  %v65 = inttoptr i64 %v64 to ptr
  call void @free(ptr %v65)
  %v66 = icmp eq i64 %v55, 0
  br i1 %v66, label %v67, label %v68
v68:
  %v69 = phi i64 [ %v70, %v68 ], [ %v55, %v58 ]
  %v71 = inttoptr i64 %v69 to ptr
  %v72 = getelementptr i8, ptr %v71, i64 96
  %v70 = load i64, ptr %v72, align 1
  call void @free(ptr %v71)
  %v73 = icmp eq i64 %v70, 0
  br i1 %v73, label %v67, label %v68
v42:
  %v50 = phi i1 [ true, %v49 ], [ false, %v20 ]
  %v74 = phi i64 [ 16, %v49 ], [ 0, %v20 ]
  %v45 = getelementptr i8, ptr %v2, i64 %v74
  %v48 = getelementptr i8, ptr %v45, i64 56
  %v75 = load i64, ptr %v48, align 1
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
define ptr @nbgrad_tape_cotangents(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 8
  %v5 = load i64, ptr %v4, align 1
  %v6 = mul i64 %v5, %v1
  %v7 = getelementptr i8, ptr %v3, i64 40
  %v8 = load i64, ptr %v7, align 1
  %v9 = icmp eq i64 %v8, 0
  br i1 %v9, label %v10, label %v11
v10:
  %v12 = shl i64 %v6, 3
  %v13 = getelementptr i8, ptr %v3, i64 64
  %v14 = load i64, ptr %v13, align 1
  %v15 = icmp eq i64 %v14, 0
  br i1 %v15, label %v16, label %v17
v17:
  %v18 = getelementptr i8, ptr %v3, i64 72
  %v19 = load i64, ptr %v18, align 1
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
  %v33 = add nsw i64 %v23, -2097152
  %v34 = inttoptr i64 %v32 to ptr
  %v35 = call i32 @madvise(ptr %v34, i64 %v33, i32 14)
  br label %v29
v29:
  %v36 = ptrtoint ptr %v24 to i64
  store i64 %v36, ptr %v13, align 1
  %v37 = getelementptr i8, ptr %v3, i64 72
  store i64 %v12, ptr %v37, align 1
  br label %v21
v21:
  %v38 = load i64, ptr %v13, align 1
  br label %v11
v11:
  %v39 = phi i64 [ %v38, %v21 ], [ 0, %v2 ]
  %v40 = icmp eq i64 %v39, 0
  br i1 %v40, label %v41, label %v42
v41:
  %v43 = getelementptr i8, ptr %v3, i64 152
  store i64 2, ptr %v43, align 1
  br label %v44
v42:
  %v45 = shl i64 %v6, 3
  %v46 = inttoptr i64 %v39 to ptr
  %v47 = call ptr @memset(ptr %v46, i32 0, i64 %v45)
  br label %v44
v44:
  ret ptr null
}
define double @nbgrad_tape_cotangent(i64 %v0, i64 %v1, i64 %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 64
  %v6 = load i64, ptr %v5, align 1
  %v7 = getelementptr i8, ptr %v4, i64 8
  %v8 = load i64, ptr %v7, align 1
  %v9 = mul i64 %v8, %v1
  %v10 = inttoptr i64 %v6 to ptr
  %v11 = getelementptr double, ptr %v10, i64 %v9
  %v12 = getelementptr double, ptr %v11, i64 %v2
  %v13 = load double, ptr %v12, align 1
  ret double %v13
}
define ptr @nbgrad_tape_add_cotangent(i64 %v0, i64 %v1, double %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 152
  %v6 = load i64, ptr %v5, align 1
  %v7 = icmp ne i64 %v6, 0
  %v8 = icmp eq i64 %v1, 0
  %v9 = select i1 %v7, i1 true, i1 %v8
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = getelementptr i8, ptr %v4, i64 64
  %v13 = load i64, ptr %v12, align 1
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr double, ptr %v14, i64 %v1
  %v16 = load double, ptr %v15, align 1
  %v17 = fadd double %v2, %v16
  store double %v17, ptr %v15, align 1
  br label %v10
v10:
  ret ptr null
}
define i64 @nbgrad_tape_sweep(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 152
  %v5 = load i64, ptr %v4, align 1
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %v7, label %v8
v7:
  %v9 = getelementptr i8, ptr %v3, i64 24
  %v10 = load i64, ptr %v9, align 1
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v8, label %v12
v12:
  %v13 = getelementptr i8, ptr %v3, i64 64
  %v14 = load i64, ptr %v13, align 1
  %v15 = getelementptr i8, ptr %v3, i64 8
  %v16 = load i64, ptr %v15, align 1
  %v17 = shl i64 %v16, 3
  %v18 = add i64 %v14, %v17
  %v19 = inttoptr i64 %v14 to ptr
  %v20 = inttoptr i64 %v18 to ptr
  %v21 = inttoptr i64 %v1 to ptr
  %v22 = load i64, ptr %v3, align 1
  %v23 = call i64 %v21(i64 %v22, i64 %v16, ptr %v19, ptr %v20)
  %v24 = inttoptr i64 %v10 to ptr
  %v25 = getelementptr i8, ptr %v24, i64 88
  %v26 = load i64, ptr %v25, align 1
  %v27 = icmp eq i64 %v26, 0
  br i1 %v27, label %v8, label %v28
v28:
  %v29 = phi i64 [ %v30, %v28 ], [ %v26, %v12 ]
  %v31 = phi i64 [ %v32, %v28 ], [ %v23, %v12 ]
  %v33 = inttoptr i64 %v29 to ptr
  %v34 = getelementptr i8, ptr %v33, i64 104
  %v35 = load i64, ptr %v34, align 1
  %v32 = call i64 %v21(i64 %v35, i64 %v31, ptr %v19, ptr %v20)
  %v36 = inttoptr i64 %v29 to ptr
  %v37 = getelementptr i8, ptr %v36, i64 88
  %v30 = load i64, ptr %v37, align 1
  %v38 = icmp eq i64 %v30, 0
  br i1 %v38, label %v8, label %v28
v8:
  %v39 = load i64, ptr %v4, align 1
  ret i64 %v39
}
define i64 @nbgrad_tape_floats(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 48
  %v5 = load i64, ptr %v4, align 1
  %v6 = shl i64 %v1, 4
  %v7 = getelementptr i8, ptr %v3, i64 %v6
  %v8 = getelementptr i8, ptr %v7, i64 56
  %v9 = load i64, ptr %v8, align 1
  %v10 = mul i64 %v9, %v5
  %v11 = getelementptr i8, ptr %v7, i64 64
  %v12 = load i64, ptr %v11, align 1
  %v13 = mul i64 %v10, %v12
  ret i64 %v13
}
define i64 @nbgrad_tape_jet_at(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
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
  %v14 = load i64, ptr %v10, align 1
  %v15 = load i64, ptr %v11, align 1
  %v16 = shl nuw nsw i64 %v17, 4
  %v18 = getelementptr i8, ptr %v9, i64 %v16
  %v19 = getelementptr i8, ptr %v18, i64 56
  %v20 = load i64, ptr %v19, align 1
  %v21 = getelementptr i8, ptr %v18, i64 64
  %v22 = load i64, ptr %v21, align 1
  %v23 = shl i64 %v14, 3
  %v24 = mul i64 %v23, %v15
  %v25 = mul i64 %v24, %v20
  %v26 = mul i64 %v25, %v22
  br label %v27
v28:
  %v29 = load i64, ptr %v8, align 1
  %v30 = shl i64 %v17, 4
  %v31 = getelementptr i8, ptr %v7, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 8
  %v33 = load i64, ptr %v32, align 1
  %v34 = getelementptr i8, ptr %v31, i64 16
  %v35 = load i64, ptr %v34, align 1
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
define i64 @nbgrad_tape_open_step(i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4, i64 %v5, i64 %v6, i64 %v7, i64 %v8, i64 %v9) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
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
  %v23 = load i64, ptr %v22, align 1
  %v24 = icmp eq i64 %v23, 0
  br i1 %v24, label %v25, label %v26
v26:
  %v27 = inttoptr i64 %v23 to ptr
  %v28 = getelementptr i8, ptr %v27, i64 16
  %v29 = load i64, ptr %v28, align 1
  %v30 = icmp eq i64 %v29, 0
  br i1 %v30, label %v31, label %v25
v31:
  %v32 = load i64, ptr %v27, align 1
  store i64 %v32, ptr %v22, align 1
  %v33 = getelementptr i8, ptr %v21, i64 32
  %v34 = load i64, ptr %v33, align 1
  %v35 = getelementptr i8, ptr %v27, i64 24
  %v36 = load i64, ptr %v35, align 1
  %v37 = add i64 %v36, %v34
  store i64 %v37, ptr %v33, align 1
  call void @free(ptr %v27)
  br label %v25
v25:
  %v38 = load i64, ptr %v22, align 1
  %v39 = getelementptr i8, ptr %v21, i64 40
  %v40 = load i64, ptr %v39, align 1
  %v41 = icmp eq i64 %v40, 0
  br i1 %v41, label %v42, label %v43
v42:
  %v44 = getelementptr i8, ptr %v21, i64 128
  %v45 = load i64, ptr %v44, align 1
  %v46 = load i64, ptr %v21, align 1
  %v47 = getelementptr i8, ptr %v21, i64 24
  %v48 = load i64, ptr %v47, align 1
  %v49 = add i64 %v45, %v20
  %v50 = add i64 %v49, %v46
  %v51 = sub i64 %v50, %v48
  %v52 = getelementptr i8, ptr %v21, i64 32
  %v53 = load i64, ptr %v52, align 1
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
  store i64 %v38, ptr %v67, align 1
  %v68 = getelementptr i8, ptr %v67, i64 8
  store i64 %v1, ptr %v68, align 1
  %v69 = getelementptr i8, ptr %v67, i64 16
  store i64 0, ptr %v69, align 1
  %v70 = getelementptr i8, ptr %v67, i64 24
  store i64 %v20, ptr %v70, align 1
  %v71 = getelementptr i8, ptr %v67, i64 32
  store i64 %v0, ptr %v71, align 1
  %v72 = getelementptr i8, ptr %v67, i64 40
  store i64 %v2, ptr %v72, align 1
  %v73 = getelementptr i8, ptr %v67, i64 48
  store i64 %v3, ptr %v73, align 1
  %v74 = getelementptr i8, ptr %v67, i64 56
  store i64 %v4, ptr %v74, align 1
  %v75 = getelementptr i8, ptr %v67, i64 64
  store i64 %v5, ptr %v75, align 1
  %v76 = getelementptr i8, ptr %v67, i64 72
  store i64 %v6, ptr %v76, align 1
  %v77 = getelementptr i8, ptr %v67, i64 80
  store i64 %v7, ptr %v77, align 1
  %v78 = getelementptr i8, ptr %v67, i64 88
  store i64 %v8, ptr %v78, align 1
  %v79 = getelementptr i8, ptr %v67, i64 96
  store i64 %v9, ptr %v79, align 1
  %v80 = getelementptr i8, ptr %v21, i64 32
  %v81 = load i64, ptr %v80, align 1
  %v82 = sub i64 %v81, %v20
  store i64 %v82, ptr %v80, align 1
  store i64 %v62, ptr %v22, align 1
  br label %v65
v60:
  %v83 = ptrtoint ptr %v56 to i64
  %v84 = add i64 %v83, 2097151
  %v85 = and i64 %v84, -2097152
  %v86 = add i64 %v19, -2097048
  %v87 = inttoptr i64 %v85 to ptr
  %v88 = call i32 @madvise(ptr %v87, i64 %v86, i32 14)
  br label %v61
v61:
  %v63 = ptrtoint ptr %v56 to i64
  br label %v43
v65:
  ret i64 %v62
}
define i64 @nbgrad_tape_placed(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v1 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 48
  %v5 = load i64, ptr %v4, align 1
  %v6 = getelementptr i8, ptr %v3, i64 56
  %v7 = load i64, ptr %v6, align 1
  %v8 = getelementptr i8, ptr %v3, i64 64
  %v9 = load i64, ptr %v8, align 1
  %v10 = getelementptr i8, ptr %v3, i64 72
  %v11 = load i64, ptr %v10, align 1
  %v12 = getelementptr i8, ptr %v3, i64 80
  %v13 = load i64, ptr %v12, align 1
  %v14 = add i64 %v1, 104
  %v15 = getelementptr i8, ptr %v3, i64 40
  %v16 = shl i64 %v5, 3
  %v17 = load i64, ptr %v15, align 1
  %v18 = mul i64 %v16, %v17
  br label %v19
v19:
  %v20 = phi i64 [ %v14, %v2 ], [ %v21, %v19 ]
  %v22 = phi i64 [ 0, %v2 ], [ %v23, %v19 ]
  %v23 = add nuw nsw i64 %v22, 1
  %v24 = shl nuw nsw i64 %v22, 4
  %v25 = getelementptr i8, ptr %v3, i64 %v24
  %v26 = getelementptr i8, ptr %v25, i64 56
  %v27 = load i64, ptr %v26, align 1
  %v28 = mul i64 %v18, %v27
  %v29 = getelementptr i8, ptr %v25, i64 64
  %v30 = load i64, ptr %v29, align 1
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
  %v49 = load i64, ptr %v48, align 1
  %v50 = add i64 %v49, 16
  %v51 = getelementptr i8, ptr %v48, i64 16
  %v52 = load i64, ptr %v51, align 1
  %v53 = icmp sgt i64 %v50, %v52
  br i1 %v53, label %v54, label %v55
v54:
  %v56 = getelementptr i8, ptr %v48, i64 24
  %v57 = load i64, ptr %v56, align 1
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = getelementptr i8, ptr %v58, i64 104
  store i64 %v49, ptr %v59, align 1
  %v60 = getelementptr i8, ptr %v48, i64 128
  %v61 = load i64, ptr %v60, align 1
  %v62 = load i64, ptr %v48, align 1
  %v63 = sub i64 %v61, %v57
  %v64 = add i64 %v63, -176
  %v65 = add i64 %v64, %v62
  %v66 = getelementptr i8, ptr %v58, i64 96
  %v67 = load i64, ptr %v66, align 1
  %v68 = getelementptr i8, ptr %v48, i64 32
  %v69 = load i64, ptr %v68, align 1
  %v70 = icmp slt i64 %v65, %v69
  br i1 %v70, label %v71, label %v72
v71:
  %v73 = getelementptr i8, ptr %v48, i64 8
  %v74 = load i64, ptr %v73, align 1
  %v75 = icmp sgt i64 %v74, 4261412863
  br label %v72
v72:
  %v76 = phi i1 [ %v75, %v71 ], [ true, %v54 ]
  %v77 = icmp ne i64 %v67, 0
  %v78 = select i1 %v77, i1 true, i1 %v76
  br i1 %v78, label %v79, label %v80
v80:
  %v81 = getelementptr i8, ptr %v58, i64 80
  %v82 = load i64, ptr %v81, align 1
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
  store i64 %v84, ptr %v93, align 1
  store i64 %v94, ptr %v66, align 1
  %v95 = getelementptr i8, ptr %v86, i64 88
  store i64 %v57, ptr %v95, align 1
  br label %v79
v90:
  %v96 = ptrtoint ptr %v86 to i64
  %v97 = add i64 %v96, 2097151
  %v98 = and i64 %v97, -2097152
  %v99 = add i64 %v84, -2096976
  %v100 = inttoptr i64 %v98 to ptr
  %v101 = call i32 @madvise(ptr %v100, i64 %v99, i32 14)
  br label %v91
v91:
  %v94 = ptrtoint ptr %v86 to i64
  %v102 = icmp eq ptr %v86, null
  br i1 %v102, label %v79, label %v103
v103:
  %v104 = phi i64 [ %v105, %v103 ], [ 0, %v91 ]
  %v105 = add nuw nsw i64 %v104, 1
  %v106 = getelementptr i64, ptr %v86, i64 %v104
  store i64 0, ptr %v106, align 1
  %v107 = icmp eq i64 %v105, 22
  br i1 %v107, label %v92, label %v103
v79:
  %v108 = phi i64 [ %v94, %v92 ], [ 0, %v91 ], [ %v67, %v72 ]
  %v109 = icmp eq i64 %v108, 0
  %v110 = select i1 %v109, i1 true, i1 %v76
  br i1 %v110, label %v111, label %v112
v111:
  %v113 = getelementptr i8, ptr %v48, i64 40
  store i64 1, ptr %v113, align 1
  store i64 0, ptr %v60, align 1
  %v114 = getelementptr i8, ptr %v48, i64 152
  store i64 0, ptr %v114, align 1
  %v115 = getelementptr i8, ptr %v48, i64 112
  %v116 = load i64, ptr %v115, align 1
  %v117 = getelementptr i8, ptr %v48, i64 8
  store i64 %v116, ptr %v117, align 1
  store i64 %v0, ptr %v56, align 1
  %v118 = add i64 %v0, 176
  store i64 %v118, ptr %v48, align 1
  br label %v119
v112:
  store i64 %v65, ptr %v60, align 1
  store i64 %v108, ptr %v56, align 1
  %v120 = add i64 %v108, 176
  store i64 %v120, ptr %v48, align 1
  %v121 = inttoptr i64 %v108 to ptr
  br label %v119
v119:
  %v122 = phi ptr [ %v121, %v112 ], [ %v48, %v111 ]
  %v123 = phi i64 [ %v120, %v112 ], [ %v118, %v111 ]
  %v124 = getelementptr i8, ptr %v122, i64 80
  %v125 = load i64, ptr %v124, align 1
  %v126 = add i64 %v125, %v123
  store i64 %v126, ptr %v51, align 1
  br label %v55
v55:
  %v127 = getelementptr i8, ptr %v48, i64 40
  %v128 = load i64, ptr %v127, align 1
  %v129 = icmp eq i64 %v128, 0
  br i1 %v129, label %v130, label %v40
v130:
  %v131 = load i64, ptr %v48, align 1
  %v132 = getelementptr i8, ptr %v48, i64 8
  %v133 = load i64, ptr %v132, align 1
  %v134 = inttoptr i64 %v131 to ptr
  store i64 %v1, ptr %v134, align 1
  %v135 = getelementptr i8, ptr %v134, i64 8
  store i64 9223372032559808512, ptr %v135, align 1
  %v136 = add i64 %v131, 16
  store i64 %v136, ptr %v48, align 1
  %v137 = load i64, ptr %v4, align 1
  %v138 = getelementptr i8, ptr %v3, i64 88
  %v139 = load i64, ptr %v138, align 1
  %v140 = mul i64 %v139, %v137
  %v141 = getelementptr i8, ptr %v3, i64 96
  %v142 = load i64, ptr %v141, align 1
  %v143 = mul i64 %v140, %v142
  %v144 = add i64 %v143, %v133
  store i64 %v144, ptr %v132, align 1
  store i64 %v133, ptr %v35, align 1
  br label %v40
v43:
  %v145 = phi i64 [ 0, %v41 ], [ %v46, %v43 ]
  %v146 = phi i64 [ 0, %v41 ], [ %v147, %v43 ]
  %v147 = add nuw nsw i64 %v146, 1
  %v148 = getelementptr i64, ptr %v42, i64 %v146
  %v149 = load i64, ptr %v148, align 1
  %v46 = or i64 %v149, %v145
  %v150 = icmp eq i64 %v147, %v38
  br i1 %v150, label %v44, label %v43
v40:
  %v151 = phi i64 [ 0, %v44 ], [ %v133, %v130 ], [ 0, %v55 ], [ 0, %v33 ]
  ret i64 %v151
}
define i64 @nbgrad_tape_note_of(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = inttoptr i64 %v0 to ptr
  %v4 = getelementptr i8, ptr %v3, i64 168
  %v5 = load i64, ptr %v4, align 1
  %v6 = mul i64 %v1, 48
  %v7 = add i64 %v5, %v6
  ret i64 %v7
}
define ptr @nbgrad_tape_note_extent(i64 %v0, i64 %v1, i64 %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v2 to ptr
  %v5 = load i64, ptr %v4, align 1
  %v6 = getelementptr i8, ptr %v4, i64 8
  %v7 = load i64, ptr %v6, align 1
  %v8 = icmp slt i64 %v7, 1
  br i1 %v8, label %v9, label %v10
v10:
  %v11 = getelementptr i64, ptr %v4, i64 %v7
  %v12 = getelementptr i8, ptr %v11, i64 24
  br label %v13
v9:
  %v14 = phi i64 [ %v5, %v3 ], [ %v15, %v13 ]
  %v16 = phi i64 [ %v5, %v3 ], [ %v17, %v13 ]
  %v18 = inttoptr i64 %v0 to ptr
  %v19 = getelementptr i8, ptr %v18, i64 168
  %v20 = load i64, ptr %v19, align 1
  %v21 = mul i64 %v1, 48
  %v22 = add i64 %v20, %v21
  %v23 = inttoptr i64 %v22 to ptr
  store i64 %v16, ptr %v23, align 1
  %v24 = load i64, ptr %v6, align 1
  %v25 = icmp slt i64 %v24, 1
  br i1 %v25, label %v26, label %v27
v27:
  %v28 = phi i64 [ %v29, %v27 ], [ 1, %v9 ]
  %v30 = phi i64 [ %v31, %v27 ], [ 0, %v9 ]
  %v31 = add nuw nsw i64 %v30, 1
  %v32 = getelementptr i64, ptr %v4, i64 %v30
  %v33 = getelementptr i8, ptr %v32, i64 24
  %v34 = load i64, ptr %v33, align 1
  %v29 = mul i64 %v34, %v28
  %v35 = icmp eq i64 %v24, %v31
  br i1 %v35, label %v36, label %v27
v36:
  %v37 = icmp eq i64 %v29, 0
  br i1 %v37, label %v38, label %v26
v26:
  %v39 = getelementptr i8, ptr %v4, i64 16
  %v40 = load i64, ptr %v39, align 1
  %v41 = add i64 %v40, %v14
  br label %v38
v13:
  %v42 = phi i64 [ %v5, %v10 ], [ %v17, %v13 ]
  %v43 = phi i64 [ %v5, %v10 ], [ %v15, %v13 ]
  %v44 = phi i64 [ 0, %v10 ], [ %v45, %v13 ]
  %v45 = add nuw nsw i64 %v44, 1
  %v46 = getelementptr i64, ptr %v4, i64 %v44
  %v47 = getelementptr i8, ptr %v46, i64 24
  %v48 = load i64, ptr %v47, align 1
  %v49 = add i64 %v48, -1
  %v50 = getelementptr i64, ptr %v12, i64 %v44
  %v51 = load i64, ptr %v50, align 1
  %v52 = mul i64 %v49, %v51
  %v53 = call i64 @llvm.smin.i64(i64 %v52, i64 0)
  %v54 = call i64 @llvm.smax.i64(i64 %v52, i64 0)
  %v17 = add i64 %v53, %v42
  %v15 = add i64 %v54, %v43
  %v55 = icmp eq i64 %v45, %v7
  br i1 %v55, label %v9, label %v13
v38:
  %v56 = phi i64 [ %v41, %v26 ], [ %v16, %v36 ]
  %v57 = getelementptr i8, ptr %v23, i64 8
  store i64 %v56, ptr %v57, align 1
  %v58 = getelementptr i8, ptr %v23, i64 16
  store i64 1, ptr %v58, align 1
  ret ptr null
}
define i64 @nbgrad_tape_lay_out(i64 %v0, i64 %v1, i64 %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 160
  %v6 = load i64, ptr %v5, align 1
  %v7 = inttoptr i64 %v2 to ptr
  %v8 = getelementptr i8, ptr %v7, i64 16
  %v9 = load i64, ptr %v8, align 1
  %v10 = icmp eq i64 %v9, 4
  %v11 = getelementptr i8, ptr %v7, i64 8
  %v12 = load i64, ptr %v11, align 1
  %v13 = icmp slt i64 %v12, 1
  br i1 %v13, label %v14, label %v15
v15:
  %v16 = phi i64 [ %v17, %v15 ], [ 1, %v3 ]
  %v18 = phi i64 [ %v19, %v15 ], [ 0, %v3 ]
  %v19 = add nuw nsw i64 %v18, 1
  %v20 = getelementptr i64, ptr %v7, i64 %v18
  %v21 = getelementptr i8, ptr %v20, i64 24
  %v22 = load i64, ptr %v21, align 1
  %v17 = mul i64 %v22, %v16
  %v23 = icmp eq i64 %v12, %v19
  br i1 %v23, label %v14, label %v15
v14:
  %v24 = phi i64 [ 1, %v3 ], [ %v17, %v15 ]
  %v25 = load i64, ptr %v7, align 1
  %v26 = icmp slt i64 %v12, 1
  br i1 %v26, label %v27, label %v28
v28:
  %v29 = getelementptr i64, ptr %v7, i64 %v12
  %v30 = getelementptr i8, ptr %v29, i64 24
  br label %v31
v27:
  %v32 = phi i64 [ %v25, %v14 ], [ %v33, %v31 ]
  %v34 = phi i64 [ %v25, %v14 ], [ %v35, %v31 ]
  %v36 = getelementptr i8, ptr %v4, i64 168
  %v37 = load i64, ptr %v36, align 1
  %v38 = mul i64 %v1, 48
  %v39 = add i64 %v37, %v38
  %v40 = inttoptr i64 %v39 to ptr
  store i64 %v34, ptr %v40, align 1
  %v41 = load i64, ptr %v11, align 1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = phi i64 [ %v46, %v44 ], [ 1, %v27 ]
  %v47 = phi i64 [ %v48, %v44 ], [ 0, %v27 ]
  %v48 = add nuw nsw i64 %v47, 1
  %v49 = getelementptr i64, ptr %v7, i64 %v47
  %v50 = getelementptr i8, ptr %v49, i64 24
  %v51 = load i64, ptr %v50, align 1
  %v46 = mul i64 %v51, %v45
  %v52 = icmp eq i64 %v41, %v48
  br i1 %v52, label %v53, label %v44
v53:
  %v54 = icmp eq i64 %v46, 0
  br i1 %v54, label %v55, label %v43
v43:
  %v56 = load i64, ptr %v8, align 1
  %v57 = add i64 %v56, %v32
  br label %v55
v31:
  %v58 = phi i64 [ %v25, %v28 ], [ %v35, %v31 ]
  %v59 = phi i64 [ %v25, %v28 ], [ %v33, %v31 ]
  %v60 = phi i64 [ 0, %v28 ], [ %v61, %v31 ]
  %v61 = add nuw nsw i64 %v60, 1
  %v62 = getelementptr i64, ptr %v7, i64 %v60
  %v63 = getelementptr i8, ptr %v62, i64 24
  %v64 = load i64, ptr %v63, align 1
  %v65 = add i64 %v64, -1
  %v66 = getelementptr i64, ptr %v30, i64 %v60
  %v67 = load i64, ptr %v66, align 1
  %v68 = mul i64 %v65, %v67
  %v69 = call i64 @llvm.smin.i64(i64 %v68, i64 0)
  %v70 = call i64 @llvm.smax.i64(i64 %v68, i64 0)
  %v35 = add i64 %v69, %v58
  %v33 = add i64 %v70, %v59
  %v71 = icmp eq i64 %v12, %v61
  br i1 %v71, label %v27, label %v31
v55:
  %v72 = phi i64 [ %v57, %v43 ], [ %v34, %v53 ]
  %v73 = getelementptr i8, ptr %v40, i64 8
  store i64 %v72, ptr %v73, align 1
  %v74 = getelementptr i8, ptr %v40, i64 16
  store i64 1, ptr %v74, align 1
  %v75 = load i64, ptr %v36, align 1
  %v76 = add i64 %v75, %v38
  %v77 = load i64, ptr %v5, align 1
  %v78 = getelementptr i8, ptr %v4, i64 48
  %v79 = load i64, ptr %v78, align 1
  %v80 = shl i64 %v77, 4
  %v81 = add i64 %v80, -16
  %v82 = add i64 %v81, %v79
  %v83 = inttoptr i64 %v76 to ptr
  %v84 = getelementptr i8, ptr %v83, i64 24
  store i64 %v77, ptr %v84, align 1
  %v85 = getelementptr i8, ptr %v83, i64 32
  store i64 %v82, ptr %v85, align 1
  %v86 = getelementptr i8, ptr %v83, i64 40
  store i64 2, ptr %v86, align 1
  %v87 = load i64, ptr %v11, align 1
  %v88 = icmp slt i64 %v87, 1
  br i1 %v88, label %v89, label %v90
v90:
  %v91 = phi i64 [ %v92, %v90 ], [ 1, %v55 ]
  %v93 = phi i64 [ %v94, %v90 ], [ 0, %v55 ]
  %v94 = add nuw nsw i64 %v93, 1
  %v95 = getelementptr i64, ptr %v7, i64 %v93
  %v96 = getelementptr i8, ptr %v95, i64 24
  %v97 = load i64, ptr %v96, align 1
  %v92 = mul i64 %v97, %v91
  %v98 = icmp eq i64 %v87, %v94
  br i1 %v98, label %v89, label %v90
v89:
  %v99 = phi i64 [ 1, %v55 ], [ %v92, %v90 ]
  %v100 = add i64 %v99, %v77
  store i64 %v100, ptr %v5, align 1
  %v101 = icmp sgt i64 %v24, 0
  br i1 %v101, label %v102, label %v103
v102:
  %v104 = phi i64 [ %v105, %v106 ], [ %v6, %v89 ]
  %v107 = phi i64 [ %v108, %v106 ], [ 0, %v89 ]
  %v109 = phi i64 [ %v110, %v106 ], [ %v82, %v89 ]
  %v111 = load i64, ptr %v7, align 1
  %v112 = load i64, ptr %v11, align 1
  %v113 = icmp ugt i64 %v112, -9223372036854775808
  %v114 = select i1 %v113, i64 0, i64 %v112
  %v115 = icmp sgt i64 %v114, 0
  br i1 %v115, label %v116, label %v117
v116:
  %v118 = getelementptr i64, ptr %v7, i64 %v112
  %v119 = getelementptr i8, ptr %v118, i64 24
  br label %v120
v120:
  %v121 = phi i64 [ %v112, %v116 ], [ %v122, %v123 ]
  %v124 = phi i64 [ %v107, %v116 ], [ %v125, %v123 ]
  %v126 = phi i64 [ %v111, %v116 ], [ %v127, %v123 ]
  %v128 = phi i64 [ %v114, %v116 ], [ %v129, %v123 ]
  %v122 = add i64 %v121, -1
  %v129 = add nsw i64 %v128, -1
  %v130 = getelementptr i64, ptr %v7, i64 %v122
  %v131 = getelementptr i8, ptr %v130, i64 24
  %v132 = load i64, ptr %v131, align 1
  %v133 = icmp eq i64 %v132, 0
  br i1 %v133, label %v123, label %v134
v134:
  %v135 = icmp ne i64 %v124, -9223372036854775808
  %v136 = icmp ne i64 %v132, -1
  %v137 = or i1 %v135, %v136
  br i1 %v137, label %v138, label %v123
v123:
  %v125 = phi i64 [ 0, %v120 ], [ %v139, %v138 ], [ 0, %v134 ]
  %v140 = mul i64 %v125, %v132
  %v141 = sub i64 %v124, %v140
  %v142 = getelementptr i64, ptr %v119, i64 %v122
  %v143 = load i64, ptr %v142, align 1
  %v144 = mul i64 %v141, %v143
  %v127 = add i64 %v144, %v126
  %v145 = icmp sgt i64 %v128, 1
  br i1 %v145, label %v120, label %v117
v138:
  %v146 = sdiv i64 %v124, %v132
  %v147 = srem i64 %v124, %v132
  %v148 = xor i64 %v147, %v132
  %v149 = icmp slt i64 %v148, 0
  %v150 = icmp ne i64 %v147, 0
  %v151 = and i1 %v150, %v149
  %v152 = sext i1 %v151 to i64
  %v139 = add i64 %v146, %v152
  br label %v123
v117:
  %v153 = phi i64 [ %v111, %v102 ], [ %v127, %v123 ]
  %v154 = getelementptr i64, ptr %v7, i64 %v112
  %v155 = getelementptr i8, ptr %v154, i64 16
  %v156 = load i64, ptr %v155, align 1
  %v157 = shl i64 %v112, 4
  %v158 = getelementptr i8, ptr %v7, i64 %v157
  %v159 = getelementptr i8, ptr %v158, i64 16
  %v160 = load i64, ptr %v159, align 1
  %v161 = icmp slt i64 %v156, 1
  br i1 %v161, label %v106, label %v162
v163:
  %v164 = load float, ptr %v165, align 1
  store float %v164, ptr %v166, align 1
  br label %v167
v168:
  %v169 = load double, ptr %v165, align 1
  store double %v169, ptr %v166, align 1
  br label %v167
v167:
  %v170 = inttoptr i64 %v171 to ptr
  %v172 = getelementptr i8, ptr %v170, i64 8
  store i64 %v173, ptr %v172, align 1
  %v174 = add i64 %v175, %v160
  %v176 = add i64 %v171, 16
  %v177 = add i64 %v173, 1
  %v178 = icmp sgt i64 %v179, 1
  br i1 %v178, label %v162, label %v106
v106:
  %v105 = phi i64 [ %v104, %v117 ], [ %v177, %v167 ]
  %v110 = phi i64 [ %v109, %v117 ], [ %v176, %v167 ]
  %v108 = add i64 %v156, %v107
  %v180 = icmp slt i64 %v108, %v24
  br i1 %v180, label %v102, label %v103
v162:
  %v175 = phi i64 [ %v174, %v167 ], [ %v153, %v117 ]
  %v171 = phi i64 [ %v176, %v167 ], [ %v109, %v117 ]
  %v173 = phi i64 [ %v177, %v167 ], [ %v104, %v117 ]
  %v179 = phi i64 [ %v181, %v167 ], [ %v156, %v117 ]
  %v181 = add nsw i64 %v179, -1
  %v165 = inttoptr i64 %v175 to ptr
  %v166 = inttoptr i64 %v171 to ptr
  br i1 %v10, label %v163, label %v168
v103:
  ret i64 %v82
}
define i64 @nbgrad_tape_lay_out_twice(i64 %v0, i64 %v1, i64 %v2, i64 %v3) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v4:
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 160
  %v7 = load i64, ptr %v6, align 1
  %v8 = inttoptr i64 %v2 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 16
  %v10 = load i64, ptr %v9, align 1
  %v11 = icmp eq i64 %v10, 4
  %v12 = getelementptr i8, ptr %v8, i64 8
  %v13 = load i64, ptr %v12, align 1
  %v14 = icmp slt i64 %v13, 1
  br i1 %v14, label %v15, label %v16
v16:
  %v17 = phi i64 [ %v18, %v16 ], [ 1, %v4 ]
  %v19 = phi i64 [ %v20, %v16 ], [ 0, %v4 ]
  %v20 = add nuw nsw i64 %v19, 1
  %v21 = getelementptr i64, ptr %v8, i64 %v19
  %v22 = getelementptr i8, ptr %v21, i64 24
  %v23 = load i64, ptr %v22, align 1
  %v18 = mul i64 %v23, %v17
  %v24 = icmp eq i64 %v13, %v20
  br i1 %v24, label %v15, label %v16
v15:
  %v25 = phi i64 [ 1, %v4 ], [ %v18, %v16 ]
  %v26 = select i1 %v11, i64 2, i64 3
  %v27 = load i64, ptr %v8, align 1
  %v28 = icmp slt i64 %v13, 1
  br i1 %v28, label %v29, label %v30
v30:
  %v31 = getelementptr i64, ptr %v8, i64 %v13
  %v32 = getelementptr i8, ptr %v31, i64 24
  br label %v33
v29:
  %v34 = phi i64 [ %v27, %v15 ], [ %v35, %v33 ]
  %v36 = phi i64 [ %v27, %v15 ], [ %v37, %v33 ]
  %v38 = getelementptr i8, ptr %v5, i64 168
  %v39 = load i64, ptr %v38, align 1
  %v40 = mul i64 %v1, 48
  %v41 = add i64 %v39, %v40
  %v42 = inttoptr i64 %v41 to ptr
  store i64 %v36, ptr %v42, align 1
  %v43 = load i64, ptr %v12, align 1
  %v44 = icmp slt i64 %v43, 1
  br i1 %v44, label %v45, label %v46
v46:
  %v47 = phi i64 [ %v48, %v46 ], [ 1, %v29 ]
  %v49 = phi i64 [ %v50, %v46 ], [ 0, %v29 ]
  %v50 = add nuw nsw i64 %v49, 1
  %v51 = getelementptr i64, ptr %v8, i64 %v49
  %v52 = getelementptr i8, ptr %v51, i64 24
  %v53 = load i64, ptr %v52, align 1
  %v48 = mul i64 %v53, %v47
  %v54 = icmp eq i64 %v43, %v50
  br i1 %v54, label %v55, label %v46
v55:
  %v56 = icmp eq i64 %v48, 0
  br i1 %v56, label %v57, label %v45
v45:
  %v58 = load i64, ptr %v9, align 1
  %v59 = add i64 %v58, %v34
  br label %v57
v33:
  %v60 = phi i64 [ %v27, %v30 ], [ %v37, %v33 ]
  %v61 = phi i64 [ %v27, %v30 ], [ %v35, %v33 ]
  %v62 = phi i64 [ 0, %v30 ], [ %v63, %v33 ]
  %v63 = add nuw nsw i64 %v62, 1
  %v64 = getelementptr i64, ptr %v8, i64 %v62
  %v65 = getelementptr i8, ptr %v64, i64 24
  %v66 = load i64, ptr %v65, align 1
  %v67 = add i64 %v66, -1
  %v68 = getelementptr i64, ptr %v32, i64 %v62
  %v69 = load i64, ptr %v68, align 1
  %v70 = mul i64 %v67, %v69
  %v71 = call i64 @llvm.smin.i64(i64 %v70, i64 0)
  %v72 = call i64 @llvm.smax.i64(i64 %v70, i64 0)
  %v37 = add i64 %v71, %v60
  %v35 = add i64 %v72, %v61
  %v73 = icmp eq i64 %v13, %v63
  br i1 %v73, label %v29, label %v33
v57:
  %v74 = phi i64 [ %v59, %v45 ], [ %v36, %v55 ]
  %v75 = getelementptr i8, ptr %v42, i64 8
  store i64 %v74, ptr %v75, align 1
  %v76 = getelementptr i8, ptr %v42, i64 16
  store i64 1, ptr %v76, align 1
  %v77 = load i64, ptr %v38, align 1
  %v78 = add i64 %v77, %v40
  %v79 = load i64, ptr %v6, align 1
  %v80 = getelementptr i8, ptr %v5, i64 48
  %v81 = load i64, ptr %v80, align 1
  %v82 = mul i64 %v79, 24
  %v83 = add i64 %v82, -24
  %v84 = add i64 %v83, %v81
  %v85 = inttoptr i64 %v78 to ptr
  %v86 = getelementptr i8, ptr %v85, i64 24
  store i64 %v79, ptr %v86, align 1
  %v87 = getelementptr i8, ptr %v85, i64 32
  store i64 %v84, ptr %v87, align 1
  %v88 = getelementptr i8, ptr %v85, i64 40
  store i64 %v26, ptr %v88, align 1
  %v89 = load i64, ptr %v12, align 1
  %v90 = icmp slt i64 %v89, 1
  br i1 %v90, label %v91, label %v92
v92:
  %v93 = phi i64 [ %v94, %v92 ], [ 1, %v57 ]
  %v95 = phi i64 [ %v96, %v92 ], [ 0, %v57 ]
  %v96 = add nuw nsw i64 %v95, 1
  %v97 = getelementptr i64, ptr %v8, i64 %v95
  %v98 = getelementptr i8, ptr %v97, i64 24
  %v99 = load i64, ptr %v98, align 1
  %v94 = mul i64 %v99, %v93
  %v100 = icmp eq i64 %v89, %v96
  br i1 %v100, label %v91, label %v92
v91:
  %v101 = phi i64 [ 1, %v57 ], [ %v94, %v92 ]
  %v102 = add i64 %v101, %v79
  store i64 %v102, ptr %v6, align 1
  %v103 = icmp sgt i64 %v25, 0
  br i1 %v103, label %v104, label %v105
v104:
  %v106 = inttoptr i64 %v3 to ptr
  %v107 = getelementptr i8, ptr %v106, i64 8
  %v108 = shl nuw nsw i64 %v26, 3
  br label %v109
v109:
  %v110 = phi i64 [ %v111, %v112 ], [ %v7, %v104 ]
  %v113 = phi i64 [ %v114, %v112 ], [ 0, %v104 ]
  %v115 = phi i64 [ %v116, %v112 ], [ %v84, %v104 ]
  %v117 = load i64, ptr %v8, align 1
  %v118 = load i64, ptr %v12, align 1
  %v119 = icmp ugt i64 %v118, -9223372036854775808
  %v120 = select i1 %v119, i64 0, i64 %v118
  %v121 = icmp sgt i64 %v120, 0
  br i1 %v121, label %v122, label %v123
v122:
  %v124 = getelementptr i64, ptr %v8, i64 %v118
  %v125 = getelementptr i8, ptr %v124, i64 24
  br label %v126
v126:
  %v127 = phi i64 [ %v118, %v122 ], [ %v128, %v129 ]
  %v130 = phi i64 [ %v113, %v122 ], [ %v131, %v129 ]
  %v132 = phi i64 [ %v117, %v122 ], [ %v133, %v129 ]
  %v134 = phi i64 [ %v120, %v122 ], [ %v135, %v129 ]
  %v128 = add i64 %v127, -1
  %v135 = add nsw i64 %v134, -1
  %v136 = getelementptr i64, ptr %v8, i64 %v128
  %v137 = getelementptr i8, ptr %v136, i64 24
  %v138 = load i64, ptr %v137, align 1
  %v139 = icmp eq i64 %v138, 0
  br i1 %v139, label %v129, label %v140
v140:
  %v141 = icmp ne i64 %v130, -9223372036854775808
  %v142 = icmp ne i64 %v138, -1
  %v143 = or i1 %v141, %v142
  br i1 %v143, label %v144, label %v129
v129:
  %v131 = phi i64 [ 0, %v126 ], [ %v145, %v144 ], [ 0, %v140 ]
  %v146 = mul i64 %v131, %v138
  %v147 = sub i64 %v130, %v146
  %v148 = getelementptr i64, ptr %v125, i64 %v128
  %v149 = load i64, ptr %v148, align 1
  %v150 = mul i64 %v147, %v149
  %v133 = add i64 %v150, %v132
  %v151 = icmp sgt i64 %v134, 1
  br i1 %v151, label %v126, label %v123
v144:
  %v152 = sdiv i64 %v130, %v138
  %v153 = srem i64 %v130, %v138
  %v154 = xor i64 %v153, %v138
  %v155 = icmp slt i64 %v154, 0
  %v156 = icmp ne i64 %v153, 0
  %v157 = and i1 %v156, %v155
  %v158 = sext i1 %v157 to i64
  %v145 = add i64 %v152, %v158
  br label %v129
v123:
  %v159 = phi i64 [ %v117, %v109 ], [ %v133, %v129 ]
  %v160 = getelementptr i64, ptr %v8, i64 %v118
  %v161 = getelementptr i8, ptr %v160, i64 16
  %v162 = load i64, ptr %v161, align 1
  %v163 = shl i64 %v118, 4
  %v164 = getelementptr i8, ptr %v8, i64 %v163
  %v165 = getelementptr i8, ptr %v164, i64 16
  %v166 = load i64, ptr %v165, align 1
  %v167 = load i64, ptr %v106, align 1
  %v168 = load i64, ptr %v107, align 1
  %v169 = icmp ugt i64 %v168, -9223372036854775808
  %v170 = select i1 %v169, i64 0, i64 %v168
  %v171 = icmp sgt i64 %v170, 0
  br i1 %v171, label %v172, label %v173
v172:
  %v174 = getelementptr i64, ptr %v106, i64 %v168
  %v175 = getelementptr i8, ptr %v174, i64 24
  br label %v176
v176:
  %v177 = phi i64 [ %v168, %v172 ], [ %v178, %v179 ]
  %v180 = phi i64 [ %v113, %v172 ], [ %v181, %v179 ]
  %v182 = phi i64 [ %v167, %v172 ], [ %v183, %v179 ]
  %v184 = phi i64 [ %v170, %v172 ], [ %v185, %v179 ]
  %v178 = add i64 %v177, -1
  %v185 = add nsw i64 %v184, -1
  %v186 = getelementptr i64, ptr %v106, i64 %v178
  %v187 = getelementptr i8, ptr %v186, i64 24
  %v188 = load i64, ptr %v187, align 1
  %v189 = icmp eq i64 %v188, 0
  br i1 %v189, label %v179, label %v190
v190:
  %v191 = icmp ne i64 %v180, -9223372036854775808
  %v192 = icmp ne i64 %v188, -1
  %v193 = or i1 %v191, %v192
  br i1 %v193, label %v194, label %v179
v179:
  %v181 = phi i64 [ 0, %v176 ], [ %v195, %v194 ], [ 0, %v190 ]
  %v196 = mul i64 %v181, %v188
  %v197 = sub i64 %v180, %v196
  %v198 = getelementptr i64, ptr %v175, i64 %v178
  %v199 = load i64, ptr %v198, align 1
  %v200 = mul i64 %v197, %v199
  %v183 = add i64 %v200, %v182
  %v201 = icmp sgt i64 %v184, 1
  br i1 %v201, label %v176, label %v173
v194:
  %v202 = sdiv i64 %v180, %v188
  %v203 = srem i64 %v180, %v188
  %v204 = xor i64 %v203, %v188
  %v205 = icmp slt i64 %v204, 0
  %v206 = icmp ne i64 %v203, 0
  %v207 = and i1 %v206, %v205
  %v208 = sext i1 %v207 to i64
  %v195 = add i64 %v202, %v208
  br label %v179
v173:
  %v209 = phi i64 [ %v167, %v123 ], [ %v183, %v179 ]
  %v210 = shl i64 %v168, 4
  %v211 = getelementptr i8, ptr %v106, i64 %v210
  %v212 = getelementptr i8, ptr %v211, i64 16
  %v213 = load i64, ptr %v212, align 1
  %v214 = icmp slt i64 %v162, 1
  br i1 %v214, label %v112, label %v215
v216:
  %v217 = load float, ptr %v218, align 1
  store float %v217, ptr %v219, align 1
  %v220 = load float, ptr %v221, align 1
  %v222 = getelementptr i8, ptr %v219, i64 4
  store float %v220, ptr %v222, align 1
  br label %v223
v224:
  %v225 = load double, ptr %v218, align 1
  store double %v225, ptr %v219, align 1
  %v226 = load double, ptr %v221, align 1
  %v227 = getelementptr i8, ptr %v219, i64 8
  store double %v226, ptr %v227, align 1
  br label %v223
v223:
  %v228 = inttoptr i64 %v229 to ptr
  %v230 = getelementptr i64, ptr %v228, i64 %v26
  %v231 = getelementptr i8, ptr %v230, i64 -8
  store i64 %v232, ptr %v231, align 1
  %v233 = add i64 %v234, %v166
  %v235 = add i64 %v236, %v213
  %v237 = add i64 %v229, %v108
  %v238 = add i64 %v232, 1
  %v239 = icmp sgt i64 %v240, 1
  br i1 %v239, label %v215, label %v112
v112:
  %v111 = phi i64 [ %v110, %v173 ], [ %v238, %v223 ]
  %v116 = phi i64 [ %v115, %v173 ], [ %v237, %v223 ]
  %v114 = add i64 %v162, %v113
  %v241 = icmp slt i64 %v114, %v25
  br i1 %v241, label %v109, label %v105
v215:
  %v236 = phi i64 [ %v235, %v223 ], [ %v209, %v173 ]
  %v234 = phi i64 [ %v233, %v223 ], [ %v159, %v173 ]
  %v229 = phi i64 [ %v237, %v223 ], [ %v115, %v173 ]
  %v232 = phi i64 [ %v238, %v223 ], [ %v110, %v173 ]
  %v240 = phi i64 [ %v242, %v223 ], [ %v162, %v173 ]
  %v242 = add nsw i64 %v240, -1
  %v218 = inttoptr i64 %v234 to ptr
  %v219 = inttoptr i64 %v229 to ptr
  %v221 = inttoptr i64 %v236 to ptr
  br i1 %v11, label %v216, label %v224
v105:
  ret i64 %v84
}
define ptr @nbgrad_tape_gradient(i64 %v0, i64 %v1, i64 %v2, i64 %v3) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v4:
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 64
  %v7 = load i64, ptr %v6, align 1
  %v8 = getelementptr i8, ptr %v5, i64 8
  %v9 = load i64, ptr %v8, align 1
  %v10 = getelementptr i8, ptr %v5, i64 168
  %v11 = load i64, ptr %v10, align 1
  %v12 = mul i64 %v2, 48
  %v13 = add i64 %v11, %v12
  %v14 = mul i64 %v9, %v1
  %v15 = inttoptr i64 %v13 to ptr
  %v16 = getelementptr i8, ptr %v15, i64 24
  %v17 = load i64, ptr %v16, align 1
  %v18 = add i64 %v17, %v14
  %v19 = shl i64 %v18, 3
  %v20 = add i64 %v19, %v7
  %v21 = inttoptr i64 %v3 to ptr
  %v22 = load i64, ptr %v21, align 1
  %v23 = getelementptr i8, ptr %v21, i64 8
  %v24 = load i64, ptr %v23, align 1
  %v25 = icmp slt i64 %v24, 1
  br i1 %v25, label %v26, label %v27
v27:
  %v28 = phi i64 [ %v29, %v27 ], [ 1, %v4 ]
  %v30 = phi i64 [ %v31, %v27 ], [ 0, %v4 ]
  %v31 = add nuw nsw i64 %v30, 1
  %v32 = getelementptr i64, ptr %v21, i64 %v30
  %v33 = getelementptr i8, ptr %v32, i64 24
  %v34 = load i64, ptr %v33, align 1
  %v29 = mul i64 %v34, %v28
  %v35 = icmp eq i64 %v24, %v31
  br i1 %v35, label %v26, label %v27
v26:
  %v36 = phi i64 [ 1, %v4 ], [ %v29, %v27 ]
  %v37 = getelementptr i8, ptr %v21, i64 16
  %v38 = load i64, ptr %v37, align 1
  %v39 = icmp eq i64 %v38, 4
  %v40 = icmp slt i64 %v36, 1
  br i1 %v39, label %v41, label %v42
v41:
  br i1 %v40, label %v43, label %v44
v44:
  %v45 = inttoptr i64 %v20 to ptr
  %v46 = inttoptr i64 %v22 to ptr
  br label %v47
v42:
  br i1 %v40, label %v43, label %v48
v48:
  %v49 = inttoptr i64 %v20 to ptr
  %v50 = inttoptr i64 %v22 to ptr
  br label %v51
v47:
  %v52 = phi i64 [ 0, %v44 ], [ %v53, %v47 ]
  %v53 = add nuw nsw i64 %v52, 1
  %v54 = getelementptr double, ptr %v45, i64 %v52
  %v55 = load double, ptr %v54, align 1
  %v56 = fptrunc double %v55 to float
  %v57 = getelementptr float, ptr %v46, i64 %v52
  store float %v56, ptr %v57, align 1
  %v58 = icmp eq i64 %v53, %v36
  br i1 %v58, label %v43, label %v47
v51:
  %v59 = phi i64 [ 0, %v48 ], [ %v60, %v51 ]
  %v60 = add nuw nsw i64 %v59, 1
  %v61 = getelementptr double, ptr %v49, i64 %v59
  %v62 = load double, ptr %v61, align 1
  %v63 = getelementptr double, ptr %v50, i64 %v59
  store double %v62, ptr %v63, align 1
  %v64 = icmp eq i64 %v60, %v36
  br i1 %v64, label %v43, label %v51
v43:
  ret ptr null
}
define ptr @nbgrad_tape_note_written(i64 %v0, i64 %v1, i64 %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 168
  %v6 = load i64, ptr %v5, align 1
  %v7 = mul i64 %v1, 48
  %v8 = add i64 %v6, %v7
  %v9 = inttoptr i64 %v2 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 16
  %v11 = load i64, ptr %v10, align 1
  %v12 = getelementptr i8, ptr %v9, i64 8
  %v13 = load i64, ptr %v12, align 1
  %v14 = icmp slt i64 %v13, 1
  br i1 %v14, label %v15, label %v16
v16:
  %v17 = phi i64 [ %v18, %v16 ], [ 1, %v3 ]
  %v19 = phi i64 [ %v20, %v16 ], [ 0, %v3 ]
  %v20 = add nuw nsw i64 %v19, 1
  %v21 = getelementptr i64, ptr %v9, i64 %v19
  %v22 = getelementptr i8, ptr %v21, i64 24
  %v23 = load i64, ptr %v22, align 1
  %v18 = mul i64 %v23, %v17
  %v24 = icmp eq i64 %v13, %v20
  br i1 %v24, label %v15, label %v16
v15:
  %v25 = phi i64 [ 1, %v3 ], [ %v18, %v16 ]
  %v26 = inttoptr i64 %v8 to ptr
  %v27 = getelementptr i8, ptr %v26, i64 40
  %v28 = load i64, ptr %v27, align 1
  %v29 = icmp sgt i64 %v25, 0
  br i1 %v29, label %v30, label %v31
v30:
  %v32 = getelementptr i8, ptr %v26, i64 24
  %v33 = load i64, ptr %v32, align 1
  %v34 = getelementptr i8, ptr %v26, i64 32
  %v35 = load i64, ptr %v34, align 1
  %v36 = load i64, ptr %v9, align 1
  %v37 = icmp ugt i64 %v13, -9223372036854775808
  %v38 = select i1 %v37, i64 0, i64 %v13
  %v39 = icmp sgt i64 %v38, 0
  %v40 = getelementptr i64, ptr %v9, i64 %v13
  %v41 = getelementptr i8, ptr %v40, i64 16
  %v42 = load i64, ptr %v41, align 1
  %v43 = shl i64 %v13, 4
  %v44 = getelementptr i8, ptr %v9, i64 %v43
  %v45 = getelementptr i8, ptr %v44, i64 16
  %v46 = load i64, ptr %v45, align 1
  %v47 = call i64 @llvm.smax.i64(i64 %v42, i64 0)
  %v48 = icmp slt i64 %v42, 1
  %v49 = getelementptr i64, ptr %v9, i64 %v13
  %v50 = getelementptr i8, ptr %v49, i64 24
  %v51 = icmp eq i64 %v11, 4
  %v52 = shl i64 %v28, 3
  br label %v53
v53:
  %v54 = phi i64 [ %v55, %v56 ], [ 0, %v30 ]
  %v57 = phi i64 [ %v58, %v56 ], [ 0, %v30 ]
  %v59 = phi i64 [ %v60, %v56 ], [ %v33, %v30 ]
  %v61 = phi i64 [ %v62, %v56 ], [ %v35, %v30 ]
  br i1 %v39, label %v63, label %v64
v63:
  %v65 = phi i64 [ %v66, %v67 ], [ %v13, %v53 ]
  %v68 = phi i64 [ %v69, %v67 ], [ %v54, %v53 ]
  %v70 = phi i64 [ %v71, %v67 ], [ %v36, %v53 ]
  %v72 = phi i64 [ %v73, %v67 ], [ %v38, %v53 ]
  %v66 = add i64 %v65, -1
  %v73 = add nsw i64 %v72, -1
  %v74 = getelementptr i64, ptr %v9, i64 %v66
  %v75 = getelementptr i8, ptr %v74, i64 24
  %v76 = load i64, ptr %v75, align 1
  %v77 = icmp eq i64 %v76, 0
  br i1 %v77, label %v67, label %v78
v78:
  %v79 = icmp ne i64 %v68, -9223372036854775808
  %v80 = icmp ne i64 %v76, -1
  %v81 = or i1 %v79, %v80
  br i1 %v81, label %v82, label %v67
v67:
  %v69 = phi i64 [ 0, %v63 ], [ %v83, %v82 ], [ 0, %v78 ]
  %v84 = mul i64 %v69, %v76
  %v85 = sub i64 %v68, %v84
  %v86 = getelementptr i64, ptr %v50, i64 %v66
  %v87 = load i64, ptr %v86, align 1
  %v88 = mul i64 %v85, %v87
  %v71 = add i64 %v88, %v70
  %v89 = icmp sgt i64 %v72, 1
  br i1 %v89, label %v63, label %v64
v82:
  %v90 = sdiv i64 %v68, %v76
  %v91 = srem i64 %v68, %v76
  %v92 = xor i64 %v91, %v76
  %v93 = icmp slt i64 %v92, 0
  %v94 = icmp ne i64 %v91, 0
  %v95 = and i1 %v94, %v93
  %v96 = sext i1 %v95 to i64
  %v83 = add i64 %v90, %v96
  br label %v67
v64:
  %v97 = phi i64 [ %v36, %v53 ], [ %v71, %v67 ]
  br i1 %v48, label %v56, label %v98
v99:
  %v100 = fcmp ord double %v101, 0.000000e+00
  %v102 = fcmp ord double %v103, 0.000000e+00
  %v104 = select i1 %v100, i1 true, i1 %v102
  br i1 %v104, label %v105, label %v106
v106:
  %v107 = inttoptr i64 %v108 to ptr
  %v109 = getelementptr i64, ptr %v107, i64 %v28
  %v110 = getelementptr i8, ptr %v109, i64 -8
  %v111 = load i64, ptr %v110, align 1
  %v112 = icmp eq i64 %v111, %v113
  br i1 %v112, label %v114, label %v105
v105:
  br label %v114
v114:
  %v115 = phi i64 [ 1, %v105 ], [ %v116, %v106 ]
  %v117 = add i64 %v118, %v46
  %v119 = add i64 %v108, %v52
  %v120 = add i64 %v113, 1
  %v121 = icmp sgt i64 %v122, 1
  br i1 %v121, label %v98, label %v123
v123:
  %v124 = add i64 %v47, %v59
  br label %v56
v56:
  %v58 = phi i64 [ %v57, %v64 ], [ %v115, %v123 ]
  %v60 = phi i64 [ %v59, %v64 ], [ %v124, %v123 ]
  %v62 = phi i64 [ %v61, %v64 ], [ %v119, %v123 ]
  %v55 = add i64 %v42, %v54
  %v125 = icmp slt i64 %v55, %v25
  br i1 %v125, label %v53, label %v31
v98:
  %v118 = phi i64 [ %v117, %v114 ], [ %v97, %v64 ]
  %v108 = phi i64 [ %v119, %v114 ], [ %v61, %v64 ]
  %v113 = phi i64 [ %v120, %v114 ], [ %v59, %v64 ]
  %v116 = phi i64 [ %v115, %v114 ], [ %v57, %v64 ]
  %v122 = phi i64 [ %v126, %v114 ], [ %v47, %v64 ]
  %v126 = add nsw i64 %v122, -1
  %v127 = inttoptr i64 %v118 to ptr
  br i1 %v51, label %v128, label %v129
v128:
  %v130 = load float, ptr %v127, align 1
  %v131 = fpext float %v130 to double
  br label %v132
v129:
  %v133 = load double, ptr %v127, align 1
  br label %v132
v132:
  %v103 = phi double [ %v131, %v128 ], [ %v133, %v129 ]
  %v134 = inttoptr i64 %v108 to ptr
  br i1 %v51, label %v135, label %v136
v135:
  %v137 = load float, ptr %v134, align 1
  %v138 = fpext float %v137 to double
  br label %v139
v136:
  %v140 = load double, ptr %v134, align 1
  br label %v139
v139:
  %v101 = phi double [ %v138, %v135 ], [ %v140, %v136 ]
  %v141 = fcmp une double %v101, %v103
  br i1 %v141, label %v99, label %v106
v31:
  %v142 = phi i64 [ 0, %v15 ], [ %v58, %v56 ]
  %v143 = getelementptr i8, ptr %v26, i64 16
  store i64 %v142, ptr %v143, align 1
  ret ptr null
}
define ptr @nbgrad_tape_note_different(i64 %v0, i64 %v1, i64 %v2, i64 %v3) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v4:
  %v5 = inttoptr i64 %v2 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 16
  %v7 = load i64, ptr %v6, align 1
  %v8 = getelementptr i8, ptr %v5, i64 8
  %v9 = load i64, ptr %v8, align 1
  %v10 = icmp slt i64 %v9, 1
  br i1 %v10, label %v11, label %v12
v12:
  %v13 = phi i64 [ %v14, %v12 ], [ 1, %v4 ]
  %v15 = phi i64 [ %v16, %v12 ], [ 0, %v4 ]
  %v16 = add nuw nsw i64 %v15, 1
  %v17 = getelementptr i64, ptr %v5, i64 %v15
  %v18 = getelementptr i8, ptr %v17, i64 24
  %v19 = load i64, ptr %v18, align 1
  %v14 = mul i64 %v19, %v13
  %v20 = icmp eq i64 %v9, %v16
  br i1 %v20, label %v11, label %v12
v11:
  %v21 = phi i64 [ 1, %v4 ], [ %v14, %v12 ]
  %v22 = icmp sgt i64 %v21, 0
  br i1 %v22, label %v23, label %v24
v23:
  %v25 = load i64, ptr %v5, align 1
  %v26 = icmp ugt i64 %v9, -9223372036854775808
  %v27 = select i1 %v26, i64 0, i64 %v9
  %v28 = icmp sgt i64 %v27, 0
  %v29 = getelementptr i64, ptr %v5, i64 %v9
  %v30 = getelementptr i8, ptr %v29, i64 16
  %v31 = load i64, ptr %v30, align 1
  %v32 = shl i64 %v9, 4
  %v33 = getelementptr i8, ptr %v5, i64 %v32
  %v34 = getelementptr i8, ptr %v33, i64 16
  %v35 = load i64, ptr %v34, align 1
  %v36 = inttoptr i64 %v3 to ptr
  %v37 = load i64, ptr %v36, align 1
  %v38 = getelementptr i8, ptr %v36, i64 8
  %v39 = load i64, ptr %v38, align 1
  %v40 = icmp ugt i64 %v39, -9223372036854775808
  %v41 = select i1 %v40, i64 0, i64 %v39
  %v42 = icmp sgt i64 %v41, 0
  %v43 = shl i64 %v39, 4
  %v44 = getelementptr i8, ptr %v36, i64 %v43
  %v45 = getelementptr i8, ptr %v44, i64 16
  %v46 = load i64, ptr %v45, align 1
  %v47 = call i64 @llvm.smax.i64(i64 %v31, i64 0)
  %v48 = icmp slt i64 %v31, 1
  %v49 = getelementptr i64, ptr %v5, i64 %v9
  %v50 = getelementptr i8, ptr %v49, i64 24
  %v51 = getelementptr i64, ptr %v36, i64 %v39
  %v52 = getelementptr i8, ptr %v51, i64 24
  %v53 = icmp slt i64 %v7, 1
  br label %v54
v54:
  %v55 = phi i64 [ %v56, %v57 ], [ 0, %v23 ]
  %v58 = phi i64 [ %v59, %v57 ], [ 0, %v23 ]
  br i1 %v28, label %v60, label %v61
v60:
  %v62 = phi i64 [ %v63, %v64 ], [ %v9, %v54 ]
  %v65 = phi i64 [ %v66, %v64 ], [ %v55, %v54 ]
  %v67 = phi i64 [ %v68, %v64 ], [ %v25, %v54 ]
  %v69 = phi i64 [ %v70, %v64 ], [ %v27, %v54 ]
  %v63 = add i64 %v62, -1
  %v70 = add nsw i64 %v69, -1
  %v71 = getelementptr i64, ptr %v5, i64 %v63
  %v72 = getelementptr i8, ptr %v71, i64 24
  %v73 = load i64, ptr %v72, align 1
  %v74 = icmp eq i64 %v73, 0
  br i1 %v74, label %v64, label %v75
v75:
  %v76 = icmp ne i64 %v65, -9223372036854775808
  %v77 = icmp ne i64 %v73, -1
  %v78 = or i1 %v76, %v77
  br i1 %v78, label %v79, label %v64
v64:
  %v66 = phi i64 [ 0, %v60 ], [ %v80, %v79 ], [ 0, %v75 ]
  %v81 = mul i64 %v66, %v73
  %v82 = sub i64 %v65, %v81
  %v83 = getelementptr i64, ptr %v50, i64 %v63
  %v84 = load i64, ptr %v83, align 1
  %v85 = mul i64 %v82, %v84
  %v68 = add i64 %v85, %v67
  %v86 = icmp sgt i64 %v69, 1
  br i1 %v86, label %v60, label %v61
v79:
  %v87 = sdiv i64 %v65, %v73
  %v88 = srem i64 %v65, %v73
  %v89 = xor i64 %v88, %v73
  %v90 = icmp slt i64 %v89, 0
  %v91 = icmp ne i64 %v88, 0
  %v92 = and i1 %v91, %v90
  %v93 = sext i1 %v92 to i64
  %v80 = add i64 %v87, %v93
  br label %v64
v61:
  %v94 = phi i64 [ %v25, %v54 ], [ %v68, %v64 ]
  br i1 %v42, label %v95, label %v96
v95:
  %v97 = phi i64 [ %v98, %v99 ], [ %v39, %v61 ]
  %v100 = phi i64 [ %v101, %v99 ], [ %v55, %v61 ]
  %v102 = phi i64 [ %v103, %v99 ], [ %v37, %v61 ]
  %v104 = phi i64 [ %v105, %v99 ], [ %v41, %v61 ]
  %v98 = add i64 %v97, -1
  %v105 = add nsw i64 %v104, -1
  %v106 = getelementptr i64, ptr %v36, i64 %v98
  %v107 = getelementptr i8, ptr %v106, i64 24
  %v108 = load i64, ptr %v107, align 1
  %v109 = icmp eq i64 %v108, 0
  br i1 %v109, label %v99, label %v110
v110:
  %v111 = icmp ne i64 %v100, -9223372036854775808
  %v112 = icmp ne i64 %v108, -1
  %v113 = or i1 %v111, %v112
  br i1 %v113, label %v114, label %v99
v99:
  %v101 = phi i64 [ 0, %v95 ], [ %v115, %v114 ], [ 0, %v110 ]
  %v116 = mul i64 %v101, %v108
  %v117 = sub i64 %v100, %v116
  %v118 = getelementptr i64, ptr %v52, i64 %v98
  %v119 = load i64, ptr %v118, align 1
  %v120 = mul i64 %v117, %v119
  %v103 = add i64 %v120, %v102
  %v121 = icmp sgt i64 %v104, 1
  br i1 %v121, label %v95, label %v96
v114:
  %v122 = sdiv i64 %v100, %v108
  %v123 = srem i64 %v100, %v108
  %v124 = xor i64 %v123, %v108
  %v125 = icmp slt i64 %v124, 0
  %v126 = icmp ne i64 %v123, 0
  %v127 = and i1 %v126, %v125
  %v128 = sext i1 %v127 to i64
  %v115 = add i64 %v122, %v128
  br label %v99
v96:
  %v129 = phi i64 [ %v37, %v61 ], [ %v103, %v99 ]
  br i1 %v48, label %v57, label %v130
v131:
  %v132 = phi i64 [ %v133, %v130 ], [ %v134, %v135 ]
  %v136 = add i64 %v137, %v35
  %v138 = add i64 %v139, %v46
  %v140 = icmp sgt i64 %v141, 1
  br i1 %v140, label %v130, label %v57
v57:
  %v59 = phi i64 [ %v58, %v96 ], [ %v132, %v131 ]
  %v56 = add i64 %v31, %v55
  %v142 = icmp slt i64 %v56, %v21
  br i1 %v142, label %v54, label %v24
v130:
  %v139 = phi i64 [ %v138, %v131 ], [ %v129, %v96 ]
  %v137 = phi i64 [ %v136, %v131 ], [ %v94, %v96 ]
  %v133 = phi i64 [ %v132, %v131 ], [ %v58, %v96 ]
  %v141 = phi i64 [ %v143, %v131 ], [ %v47, %v96 ]
  %v143 = add nsw i64 %v141, -1
  br i1 %v53, label %v131, label %v144
v144:
  %v145 = inttoptr i64 %v137 to ptr
  %v146 = inttoptr i64 %v139 to ptr
  br label %v135
v135:
  %v147 = phi i64 [ %v133, %v144 ], [ %v134, %v135 ]
  %v148 = phi i64 [ 0, %v144 ], [ %v149, %v135 ]
  %v149 = add nuw nsw i64 %v148, 1
  %v150 = getelementptr i8, ptr %v145, i64 %v148
  %v151 = load i8, ptr %v150, align 1
  %v152 = getelementptr i8, ptr %v146, i64 %v148
  %v153 = load i8, ptr %v152, align 1
  %v154 = icmp eq i8 %v151, %v153
  %v134 = select i1 %v154, i64 %v147, i64 1
  %v155 = icmp eq i64 %v7, %v149
  br i1 %v155, label %v131, label %v135
v24:
  %v156 = phi i64 [ 0, %v11 ], [ %v59, %v57 ]
  %v157 = inttoptr i64 %v0 to ptr
  %v158 = getelementptr i8, ptr %v157, i64 168
  %v159 = load i64, ptr %v158, align 1
  %v160 = mul i64 %v1, 48
  %v161 = add i64 %v159, %v160
  %v162 = inttoptr i64 %v161 to ptr
  %v163 = getelementptr i8, ptr %v162, i64 16
  store i64 %v156, ptr %v163, align 1
  ret ptr null
}
define ptr @nbgrad_tape_add_cotangents(i64 %v0, i64 %v1, i64 %v2) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 152
  %v6 = load i64, ptr %v5, align 1
  %v7 = icmp eq i64 %v6, 0
  br i1 %v7, label %v8, label %v9
v8:
  %v10 = inttoptr i64 %v2 to ptr
  %v11 = getelementptr i8, ptr %v10, i64 8
  %v12 = load i64, ptr %v11, align 1
  %v13 = call i64 @llvm.smax.i64(i64 %v12, i64 0)
  %v14 = inttoptr i64 %v1 to ptr
  br label %v15
v15:
  %v16 = phi i64 [ 0, %v8 ], [ %v17, %v18 ]
  %v19 = icmp eq i64 %v16, %v13
  br i1 %v19, label %v20, label %v18
v21:
  store i64 4, ptr %v5, align 1
  br label %v9
v20:
  %v22 = getelementptr i8, ptr %v4, i64 64
  %v23 = load i64, ptr %v22, align 1
  %v24 = getelementptr i8, ptr %v10, i64 16
  %v25 = load i64, ptr %v24, align 1
  %v26 = icmp slt i64 %v12, 1
  br i1 %v26, label %v27, label %v28
v28:
  %v29 = phi i64 [ %v30, %v28 ], [ 1, %v20 ]
  %v31 = phi i64 [ %v32, %v28 ], [ 0, %v20 ]
  %v32 = add nuw nsw i64 %v31, 1
  %v33 = getelementptr i64, ptr %v10, i64 %v31
  %v34 = getelementptr i8, ptr %v33, i64 24
  %v35 = load i64, ptr %v34, align 1
  %v30 = mul i64 %v35, %v29
  %v36 = icmp eq i64 %v12, %v32
  br i1 %v36, label %v27, label %v28
v27:
  %v37 = phi i64 [ 1, %v20 ], [ %v30, %v28 ]
  %v38 = icmp sgt i64 %v37, 0
  br i1 %v38, label %v39, label %v9
v39:
  %v40 = inttoptr i64 %v1 to ptr
  %v41 = getelementptr i8, ptr %v40, i64 8
  %v42 = inttoptr i64 %v23 to ptr
  %v43 = icmp eq i64 %v25, 4
  br label %v44
v44:
  %v45 = phi i64 [ %v46, %v47 ], [ 0, %v39 ]
  %v48 = load i64, ptr %v40, align 1
  %v49 = load i64, ptr %v41, align 1
  %v50 = icmp ugt i64 %v49, -9223372036854775808
  %v51 = select i1 %v50, i64 0, i64 %v49
  %v52 = icmp sgt i64 %v51, 0
  br i1 %v52, label %v53, label %v54
v53:
  %v55 = getelementptr i64, ptr %v40, i64 %v49
  %v56 = getelementptr i8, ptr %v55, i64 24
  br label %v57
v57:
  %v58 = phi i64 [ %v49, %v53 ], [ %v59, %v60 ]
  %v61 = phi i64 [ %v45, %v53 ], [ %v62, %v60 ]
  %v63 = phi i64 [ %v48, %v53 ], [ %v64, %v60 ]
  %v65 = phi i64 [ %v51, %v53 ], [ %v66, %v60 ]
  %v59 = add i64 %v58, -1
  %v66 = add nsw i64 %v65, -1
  %v67 = getelementptr i64, ptr %v40, i64 %v59
  %v68 = getelementptr i8, ptr %v67, i64 24
  %v69 = load i64, ptr %v68, align 1
  %v70 = icmp eq i64 %v69, 0
  br i1 %v70, label %v60, label %v71
v71:
  %v72 = icmp ne i64 %v61, -9223372036854775808
  %v73 = icmp ne i64 %v69, -1
  %v74 = or i1 %v72, %v73
  br i1 %v74, label %v75, label %v60
v60:
  %v62 = phi i64 [ 0, %v57 ], [ %v76, %v75 ], [ 0, %v71 ]
  %v77 = mul i64 %v62, %v69
  %v78 = sub i64 %v61, %v77
  %v79 = getelementptr i64, ptr %v56, i64 %v59
  %v80 = load i64, ptr %v79, align 1
  %v81 = mul i64 %v78, %v80
  %v64 = add i64 %v81, %v63
  %v82 = icmp sgt i64 %v65, 1
  br i1 %v82, label %v57, label %v54
v75:
  %v83 = sdiv i64 %v61, %v69
  %v84 = srem i64 %v61, %v69
  %v85 = xor i64 %v84, %v69
  %v86 = icmp slt i64 %v85, 0
  %v87 = icmp ne i64 %v84, 0
  %v88 = and i1 %v87, %v86
  %v89 = sext i1 %v88 to i64
  %v76 = add i64 %v83, %v89
  br label %v60
v54:
  %v90 = phi i64 [ %v48, %v44 ], [ %v64, %v60 ]
  %v91 = getelementptr i64, ptr %v40, i64 %v49
  %v92 = getelementptr i8, ptr %v91, i64 16
  %v93 = load i64, ptr %v92, align 1
  %v94 = shl i64 %v49, 4
  %v95 = getelementptr i8, ptr %v40, i64 %v94
  %v96 = getelementptr i8, ptr %v95, i64 16
  %v97 = load i64, ptr %v96, align 1
  %v98 = load i64, ptr %v10, align 1
  %v99 = load i64, ptr %v11, align 1
  %v100 = icmp ugt i64 %v99, -9223372036854775808
  %v101 = select i1 %v100, i64 0, i64 %v99
  %v102 = icmp sgt i64 %v101, 0
  br i1 %v102, label %v103, label %v104
v103:
  %v105 = getelementptr i64, ptr %v10, i64 %v99
  %v106 = getelementptr i8, ptr %v105, i64 24
  br label %v107
v107:
  %v108 = phi i64 [ %v99, %v103 ], [ %v109, %v110 ]
  %v111 = phi i64 [ %v45, %v103 ], [ %v112, %v110 ]
  %v113 = phi i64 [ %v98, %v103 ], [ %v114, %v110 ]
  %v115 = phi i64 [ %v101, %v103 ], [ %v116, %v110 ]
  %v109 = add i64 %v108, -1
  %v116 = add nsw i64 %v115, -1
  %v117 = getelementptr i64, ptr %v10, i64 %v109
  %v118 = getelementptr i8, ptr %v117, i64 24
  %v119 = load i64, ptr %v118, align 1
  %v120 = icmp eq i64 %v119, 0
  br i1 %v120, label %v110, label %v121
v121:
  %v122 = icmp ne i64 %v111, -9223372036854775808
  %v123 = icmp ne i64 %v119, -1
  %v124 = or i1 %v122, %v123
  br i1 %v124, label %v125, label %v110
v110:
  %v112 = phi i64 [ 0, %v107 ], [ %v126, %v125 ], [ 0, %v121 ]
  %v127 = mul i64 %v112, %v119
  %v128 = sub i64 %v111, %v127
  %v129 = getelementptr i64, ptr %v106, i64 %v109
  %v130 = load i64, ptr %v129, align 1
  %v131 = mul i64 %v128, %v130
  %v114 = add i64 %v131, %v113
  %v132 = icmp sgt i64 %v115, 1
  br i1 %v132, label %v107, label %v104
v125:
  %v133 = sdiv i64 %v111, %v119
  %v134 = srem i64 %v111, %v119
  %v135 = xor i64 %v134, %v119
  %v136 = icmp slt i64 %v135, 0
  %v137 = icmp ne i64 %v134, 0
  %v138 = and i1 %v137, %v136
  %v139 = sext i1 %v138 to i64
  %v126 = add i64 %v133, %v139
  br label %v110
v104:
  %v140 = phi i64 [ %v98, %v54 ], [ %v114, %v110 ]
  %v141 = shl i64 %v99, 4
  %v142 = getelementptr i8, ptr %v10, i64 %v141
  %v143 = getelementptr i8, ptr %v142, i64 16
  %v144 = load i64, ptr %v143, align 1
  %v145 = icmp slt i64 %v93, 1
  br i1 %v145, label %v47, label %v146
v147:
  %v148 = getelementptr double, ptr %v42, i64 %v149
  %v150 = load double, ptr %v148, align 1
  %v151 = inttoptr i64 %v152 to ptr
  br i1 %v43, label %v153, label %v154
v153:
  %v155 = load float, ptr %v151, align 1
  %v156 = fpext float %v155 to double
  br label %v157
v154:
  %v158 = load double, ptr %v151, align 1
  br label %v157
v157:
  %v159 = phi double [ %v156, %v153 ], [ %v158, %v154 ]
  %v160 = fadd double %v150, %v159
  store double %v160, ptr %v148, align 1
  br label %v161
v161:
  %v162 = add i64 %v163, %v97
  %v164 = add i64 %v152, %v144
  %v165 = icmp sgt i64 %v166, 1
  br i1 %v165, label %v146, label %v47
v47:
  %v46 = add i64 %v93, %v45
  %v167 = icmp slt i64 %v46, %v37
  br i1 %v167, label %v44, label %v9
v18:
  %v17 = add nuw i64 %v16, 1
  %v168 = add nuw i64 %v16, 3
  %v169 = getelementptr i64, ptr %v14, i64 %v168
  %v170 = load i64, ptr %v169, align 1
  %v171 = getelementptr i64, ptr %v10, i64 %v168
  %v172 = load i64, ptr %v171, align 1
  %v173 = icmp eq i64 %v170, %v172
  br i1 %v173, label %v15, label %v21
v146:
  %v152 = phi i64 [ %v164, %v161 ], [ %v140, %v104 ]
  %v163 = phi i64 [ %v162, %v161 ], [ %v90, %v104 ]
  %v166 = phi i64 [ %v174, %v161 ], [ %v93, %v104 ]
  %v174 = add nsw i64 %v166, -1
  %v175 = inttoptr i64 %v163 to ptr
  %v149 = load i64, ptr %v175, align 1
  %v176 = icmp eq i64 %v149, 0
  br i1 %v176, label %v161, label %v147
v9:
  ret ptr null
}
define i64 @nbgrad_tape_are_shared(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = icmp slt i64 %v1, 1
  br i1 %v3, label %v4, label %v5
v5:
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 168
  %v8 = load i64, ptr %v7, align 1
  br label %v9
v10:
  %v11 = icmp eq i64 %v12, %v1
  br i1 %v11, label %v4, label %v9
v13:
  %v14 = load i64, ptr %v15, align 1
  %v16 = load i64, ptr %v17, align 1
  %v18 = icmp slt i64 %v14, %v16
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = load i64, ptr %v22, align 1
  %v23 = getelementptr i8, ptr %v15, i64 16
  %v24 = load i64, ptr %v23, align 1
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
  %v36 = load i64, ptr %v35, align 1
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
  %v41 = load i64, ptr %v40, align 1
  %v42 = icmp slt i64 %v36, %v41
  br i1 %v42, label %v13, label %v20
v4:
  %v43 = phi i64 [ 0, %v2 ], [ 1, %v19 ], [ 0, %v10 ]
  ret i64 %v43
}
define ptr @nbgrad_tape_refuse_shared(i64 %v0, i64 %v1) noinline nounwind optsize "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = icmp slt i64 %v1, 1
  br i1 %v3, label %v4, label %v5
v5:
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 168
  %v8 = load i64, ptr %v7, align 1
  br label %v9
v10:
  %v11 = icmp eq i64 %v12, %v1
  br i1 %v11, label %v4, label %v9
v13:
  %v14 = load i64, ptr %v15, align 1
  %v16 = load i64, ptr %v17, align 1
  %v18 = icmp slt i64 %v14, %v16
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = load i64, ptr %v22, align 1
  %v23 = getelementptr i8, ptr %v15, i64 16
  %v24 = load i64, ptr %v23, align 1
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
  %v37 = load i64, ptr %v36, align 1
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
  %v42 = load i64, ptr %v41, align 1
  %v43 = icmp slt i64 %v37, %v42
  br i1 %v43, label %v13, label %v20
v27:
  %v44 = inttoptr i64 %v0 to ptr
  %v45 = getelementptr i8, ptr %v44, i64 152
  store i64 3, ptr %v45, align 1
  br label %v4
v4:
  ret ptr null
}
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
