; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @inv_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 88
  %v44 = getelementptr i8, ptr %v5, i64 40
  %v45 = getelementptr i8, ptr %v5, i64 48
  %v46 = getelementptr i8, ptr %v5, i64 56
  %v47 = getelementptr i8, ptr %v5, i64 64
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 104
  %v50 = getelementptr i8, ptr %v5, i64 112
  %v51 = getelementptr i8, ptr %v5, i64 96
  %v52 = getelementptr i8, ptr %v5, i64 80
  br label %v53
v54:
  %v55 = icmp sgt i64 %v56, 1
  br i1 %v55, label %v53, label %v38
v57:
  %v58 = phi i64 [ %v59, %v53 ], [ %v60, %v61 ]
  %v62 = phi i64 [ %v63, %v53 ], [ %v64, %v61 ]
  %v65 = icmp sgt i64 %v62, 0
  br i1 %v65, label %v66, label %v54
v53:
  %v67 = phi i64 [ %v1, %v39 ], [ %v68, %v54 ]
  %v56 = phi i64 [ %v36, %v39 ], [ %v69, %v54 ]
  %v69 = add nsw i64 %v56, -1
  %v68 = add i64 %v67, 1
  %v70 = load i64, ptr %v40, align 8
  %v71 = inttoptr i64 %v70 to ptr
  %v72 = load i64, ptr %v41, align 8
  %v73 = mul i64 %v72, %v67
  %v74 = getelementptr i8, ptr %v71, i64 %v73
  %v75 = load i64, ptr %v5, align 8
  %v76 = mul i64 %v75, %v68
  %v77 = load i64, ptr %v42, align 8
  %v78 = call i64 @llvm.smin.i64(i64 %v77, i64 %v76)
  %v59 = mul i64 %v75, %v67
  %v79 = sub i64 %v78, %v59
  %v63 = call i64 @llvm.smax.i64(i64 %v79, i64 0)
  br label %v57
v66:
  %v64 = add nsw i64 %v62, -1
  %v60 = add i64 %v58, 1
  %v80 = load i64, ptr %v43, align 8
  %v81 = getelementptr i8, ptr %v74, i64 %v80
  %v82 = load i64, ptr %v44, align 8
  %v83 = inttoptr i64 %v82 to ptr
  %v84 = load i64, ptr %v45, align 8
  %v85 = mul i64 %v84, %v58
  %v86 = getelementptr i8, ptr %v83, i64 %v85
  %v87 = load i64, ptr %v46, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v47, align 8
  %v90 = mul i64 %v89, %v58
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = load i64, ptr %v48, align 8
  %v93 = mul i64 %v92, %v92
  %v94 = icmp slt i64 %v93, 1
  br i1 %v94, label %v95, label %v96
v96:
  %v97 = phi i64 [ %v98, %v96 ], [ 0, %v66 ]
  %v98 = add nuw nsw i64 %v97, 1
  %v99 = getelementptr float, ptr %v86, i64 %v97
  %v100 = load float, ptr %v99, align 4
  %v101 = getelementptr float, ptr %v91, i64 %v97
  store float %v100, ptr %v101, align 4
  %v102 = icmp eq i64 %v93, %v98
  br i1 %v102, label %v95, label %v96
v95:
  %v103 = load i64, ptr %v49, align 8
  %v104 = inttoptr i64 %v103 to ptr
  call void %v104(ptr %v48, ptr %v48, ptr %v91, ptr %v48, ptr %v81, ptr %v4)
  %v105 = load i32, ptr %v4, align 8
  %v106 = icmp eq i32 %v105, 0
  br i1 %v106, label %v107, label %v61
v107:
  %v108 = load i64, ptr %v50, align 8
  %v109 = load i64, ptr %v51, align 8
  %v110 = getelementptr i8, ptr %v74, i64 %v109
  %v111 = inttoptr i64 %v108 to ptr
  call void %v111(ptr %v48, ptr %v91, ptr %v48, ptr %v81, ptr %v110, ptr %v52, ptr %v4)
  br label %v61
v61:
  %v112 = phi i32 [ 0, %v107 ], [ 3, %v95 ]
  br i1 %v106, label %v57, label %v38
v38:
  %v113 = phi i32 [ 0, %v12 ], [ %v112, %v61 ], [ 0, %v54 ]
  %v114 = load i64, ptr %v6, align 8
  %v115 = inttoptr i64 %v114 to ptr
  %v116 = getelementptr i8, ptr %v115, i64 152
  %v117 = load i64, ptr %v116, align 8
  %v118 = icmp eq i64 %v117, 0
  br i1 %v118, label %v119, label %v120
v120:
  %v121 = getelementptr i8, ptr %v115, i64 128
  %v122 = load i64, ptr %v121, align 8
  %v123 = inttoptr i64 %v122 to ptr
  call void %v123(ptr %v115)
  %v124 = getelementptr i8, ptr %v115, i64 176
  %v125 = load i64, ptr %v124, align 8
  %v126 = icmp sgt i64 %v125, 0
  br i1 %v126, label %v127, label %v128
v127:
  %v129 = add nsw i64 %v125, -1
  store i64 %v129, ptr %v124, align 8
  %v130 = icmp eq i64 %v129, 0
  br i1 %v130, label %v131, label %v128
v131:
  %v132 = getelementptr i8, ptr %v115, i64 144
  %v133 = load i64, ptr %v132, align 8
  %v134 = inttoptr i64 %v133 to ptr
  %v135 = call i32 %v134()
  %v136 = getelementptr i8, ptr %v115, i64 160
  %v137 = load i64, ptr %v136, align 8
  %v138 = sext i32 %v135 to i64
  %v139 = icmp eq i64 %v137, %v138
  br i1 %v139, label %v140, label %v128
v140:
  %v141 = load i64, ptr %v116, align 8
  %v142 = getelementptr i8, ptr %v115, i64 168
  %v143 = inttoptr i64 %v141 to ptr
  call void %v143(ptr %v142)
  br label %v128
v128:
  %v144 = getelementptr i8, ptr %v115, i64 136
  %v145 = load i64, ptr %v144, align 8
  %v146 = inttoptr i64 %v145 to ptr
  call void %v146(ptr %v115)
  br label %v119
v119:
  ret i32 %v113
}

define i32 @solve_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 40
  %v44 = getelementptr i8, ptr %v5, i64 48
  %v45 = getelementptr i8, ptr %v5, i64 112
  %v46 = getelementptr i8, ptr %v5, i64 88
  %v47 = getelementptr i8, ptr %v5, i64 56
  %v48 = getelementptr i8, ptr %v5, i64 64
  %v49 = getelementptr i8, ptr %v5, i64 72
  %v50 = getelementptr i8, ptr %v5, i64 80
  %v51 = getelementptr i8, ptr %v5, i64 96
  %v52 = getelementptr i8, ptr %v5, i64 120
  %v53 = getelementptr i8, ptr %v5, i64 128
  %v54 = getelementptr i8, ptr %v5, i64 136
  %v55 = getelementptr i8, ptr %v5, i64 104
  br label %v56
v57:
  %v58 = icmp sgt i64 %v59, 1
  br i1 %v58, label %v56, label %v38
v60:
  %v61 = phi i64 [ %v62, %v56 ], [ %v63, %v64 ]
  %v65 = phi i64 [ %v66, %v56 ], [ %v67, %v64 ]
  %v68 = icmp sgt i64 %v61, 0
  br i1 %v68, label %v69, label %v57
v56:
  %v70 = phi i64 [ %v1, %v39 ], [ %v71, %v57 ]
  %v59 = phi i64 [ %v36, %v39 ], [ %v72, %v57 ]
  %v72 = add nsw i64 %v59, -1
  %v71 = add i64 %v70, 1
  %v73 = load i64, ptr %v40, align 8
  %v74 = inttoptr i64 %v73 to ptr
  %v75 = load i64, ptr %v41, align 8
  %v76 = mul i64 %v75, %v70
  %v77 = getelementptr i8, ptr %v74, i64 %v76
  %v78 = load i64, ptr %v5, align 8
  %v79 = mul i64 %v78, %v71
  %v80 = load i64, ptr %v42, align 8
  %v81 = call i64 @llvm.smin.i64(i64 %v80, i64 %v79)
  %v66 = mul i64 %v78, %v70
  %v82 = sub i64 %v81, %v66
  %v62 = call i64 @llvm.smax.i64(i64 %v82, i64 0)
  br label %v60
v69:
  %v63 = add nsw i64 %v61, -1
  %v67 = add i64 %v65, 1
  %v83 = load i64, ptr %v43, align 8
  %v84 = inttoptr i64 %v83 to ptr
  %v85 = load i64, ptr %v44, align 8
  %v86 = mul i64 %v85, %v65
  %v87 = getelementptr i8, ptr %v84, i64 %v86
  %v88 = load i64, ptr %v45, align 8
  %v89 = getelementptr i8, ptr %v77, i64 %v88
  %v90 = load i64, ptr %v46, align 8
  %v91 = mul i64 %v90, %v90
  %v92 = icmp slt i64 %v91, 1
  br i1 %v92, label %v93, label %v94
v94:
  %v95 = phi i64 [ %v96, %v94 ], [ 0, %v69 ]
  %v96 = add nuw nsw i64 %v95, 1
  %v97 = getelementptr float, ptr %v87, i64 %v95
  %v98 = load float, ptr %v97, align 4
  %v99 = getelementptr float, ptr %v89, i64 %v95
  store float %v98, ptr %v99, align 4
  %v100 = icmp eq i64 %v91, %v96
  br i1 %v100, label %v93, label %v94
v93:
  %v101 = load i64, ptr %v47, align 8
  %v102 = inttoptr i64 %v101 to ptr
  %v103 = load i64, ptr %v48, align 8
  %v104 = mul i64 %v103, %v65
  %v105 = getelementptr i8, ptr %v102, i64 %v104
  %v106 = load i64, ptr %v49, align 8
  %v107 = inttoptr i64 %v106 to ptr
  %v108 = load i64, ptr %v50, align 8
  %v109 = mul i64 %v108, %v65
  %v110 = getelementptr i8, ptr %v107, i64 %v109
  %v111 = load i64, ptr %v46, align 8
  %v112 = load i64, ptr %v51, align 8
  %v113 = mul i64 %v112, %v111
  %v114 = icmp slt i64 %v113, 1
  br i1 %v114, label %v115, label %v116
v116:
  %v117 = phi i64 [ %v118, %v116 ], [ 0, %v93 ]
  %v118 = add nuw nsw i64 %v117, 1
  %v119 = getelementptr float, ptr %v105, i64 %v117
  %v120 = load float, ptr %v119, align 4
  %v121 = getelementptr float, ptr %v110, i64 %v117
  store float %v120, ptr %v121, align 4
  %v122 = icmp eq i64 %v113, %v118
  br i1 %v122, label %v115, label %v116
v115:
  %v123 = load i64, ptr %v52, align 8
  %v124 = getelementptr i8, ptr %v77, i64 %v123
  %v125 = load i64, ptr %v53, align 8
  %v126 = inttoptr i64 %v125 to ptr
  call void %v126(ptr %v46, ptr %v46, ptr %v89, ptr %v46, ptr %v124, ptr %v4)
  %v127 = load i32, ptr %v4, align 8
  %v128 = icmp eq i32 %v127, 0
  br i1 %v128, label %v129, label %v64
v129:
  %v130 = load i64, ptr %v54, align 8
  %v131 = inttoptr i64 %v130 to ptr
  call void %v131(ptr %v55, ptr %v46, ptr %v51, ptr %v89, ptr %v46, ptr %v124, ptr %v110, ptr %v46, ptr %v4)
  br label %v64
v64:
  %v132 = phi i32 [ 0, %v129 ], [ 3, %v115 ]
  br i1 %v128, label %v60, label %v38
v38:
  %v133 = phi i32 [ 0, %v12 ], [ %v132, %v64 ], [ 0, %v57 ]
  %v134 = load i64, ptr %v6, align 8
  %v135 = inttoptr i64 %v134 to ptr
  %v136 = getelementptr i8, ptr %v135, i64 152
  %v137 = load i64, ptr %v136, align 8
  %v138 = icmp eq i64 %v137, 0
  br i1 %v138, label %v139, label %v140
v140:
  %v141 = getelementptr i8, ptr %v135, i64 128
  %v142 = load i64, ptr %v141, align 8
  %v143 = inttoptr i64 %v142 to ptr
  call void %v143(ptr %v135)
  %v144 = getelementptr i8, ptr %v135, i64 176
  %v145 = load i64, ptr %v144, align 8
  %v146 = icmp sgt i64 %v145, 0
  br i1 %v146, label %v147, label %v148
v147:
  %v149 = add nsw i64 %v145, -1
  store i64 %v149, ptr %v144, align 8
  %v150 = icmp eq i64 %v149, 0
  br i1 %v150, label %v151, label %v148
v151:
  %v152 = getelementptr i8, ptr %v135, i64 144
  %v153 = load i64, ptr %v152, align 8
  %v154 = inttoptr i64 %v153 to ptr
  %v155 = call i32 %v154()
  %v156 = getelementptr i8, ptr %v135, i64 160
  %v157 = load i64, ptr %v156, align 8
  %v158 = sext i32 %v155 to i64
  %v159 = icmp eq i64 %v157, %v158
  br i1 %v159, label %v160, label %v148
v160:
  %v161 = load i64, ptr %v136, align 8
  %v162 = getelementptr i8, ptr %v135, i64 168
  %v163 = inttoptr i64 %v161 to ptr
  call void %v163(ptr %v162)
  br label %v148
v148:
  %v164 = getelementptr i8, ptr %v135, i64 136
  %v165 = load i64, ptr %v164, align 8
  %v166 = inttoptr i64 %v165 to ptr
  call void %v166(ptr %v135)
  br label %v139
v139:
  ret i32 %v133
}

define i32 @solve_triangular_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 24
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v7, i64 152
  %v9 = load i64, ptr %v8, align 8
  %v10 = icmp eq i64 %v9, 0
  br i1 %v10, label %v11, label %v12
v12:
  %v13 = getelementptr i8, ptr %v7, i64 128
  %v14 = load i64, ptr %v13, align 8
  %v15 = inttoptr i64 %v14 to ptr
  call void %v15(ptr %v7)
  %v16 = getelementptr i8, ptr %v7, i64 176
  %v17 = load i64, ptr %v16, align 8
  %v18 = icmp eq i64 %v17, 0
  br i1 %v18, label %v19, label %v20
v19:
  %v21 = getelementptr i8, ptr %v7, i64 144
  %v22 = load i64, ptr %v21, align 8
  %v23 = inttoptr i64 %v22 to ptr
  %v24 = call i32 %v23()
  %v25 = sext i32 %v24 to i64
  %v26 = getelementptr i8, ptr %v7, i64 168
  store i64 %v25, ptr %v26, align 8
  %v27 = load i64, ptr %v8, align 8
  %v28 = getelementptr i8, ptr %v7, i64 160
  %v29 = inttoptr i64 %v27 to ptr
  call void %v29(ptr %v28)
  br label %v20
v20:
  %v30 = load i64, ptr %v16, align 8
  %v31 = add i64 %v30, 1
  store i64 %v31, ptr %v16, align 8
  %v32 = getelementptr i8, ptr %v7, i64 136
  %v33 = load i64, ptr %v32, align 8
  %v34 = inttoptr i64 %v33 to ptr
  call void %v34(ptr %v7)
  br label %v11
v11:
  %v35 = sub i64 %v2, %v1
  %v36 = icmp slt i64 %v35, 1
  br i1 %v36, label %v37, label %v38
v38:
  %v39 = getelementptr i8, ptr %v4, i64 8
  %v40 = getelementptr i8, ptr %v4, i64 56
  %v41 = getelementptr i8, ptr %v4, i64 64
  %v42 = getelementptr i8, ptr %v4, i64 72
  %v43 = getelementptr i8, ptr %v4, i64 80
  %v44 = getelementptr i8, ptr %v4, i64 88
  %v45 = getelementptr i8, ptr %v4, i64 96
  %v46 = getelementptr i8, ptr %v4, i64 144
  %v47 = getelementptr i8, ptr %v4, i64 40
  %v48 = getelementptr i8, ptr %v4, i64 48
  %v49 = getelementptr i8, ptr %v4, i64 136
  %v50 = getelementptr i8, ptr %v4, i64 128
  %v51 = getelementptr i8, ptr %v4, i64 120
  %v52 = getelementptr i8, ptr %v4, i64 112
  %v53 = getelementptr i8, ptr %v4, i64 104
  br label %v54
v55:
  %v56 = icmp sgt i64 %v57, 1
  br i1 %v56, label %v54, label %v37
v54:
  %v58 = phi i64 [ %v1, %v38 ], [ %v59, %v55 ]
  %v57 = phi i64 [ %v35, %v38 ], [ %v60, %v55 ]
  %v60 = add nsw i64 %v57, -1
  %v59 = add i64 %v58, 1
  %v61 = load i64, ptr %v4, align 8
  %v62 = mul i64 %v61, %v59
  %v63 = load i64, ptr %v39, align 8
  %v64 = call i64 @llvm.smin.i64(i64 %v63, i64 %v62)
  %v65 = mul i64 %v61, %v58
  %v66 = sub i64 %v64, %v65
  %v67 = icmp slt i64 %v66, 1
  br i1 %v67, label %v55, label %v68
v68:
  %v69 = phi i64 [ %v70, %v71 ], [ %v65, %v54 ]
  %v72 = phi i64 [ %v73, %v71 ], [ %v66, %v54 ]
  %v73 = add nsw i64 %v72, -1
  %v70 = add i64 %v69, 1
  %v74 = load i64, ptr %v40, align 8
  %v75 = inttoptr i64 %v74 to ptr
  %v76 = load i64, ptr %v41, align 8
  %v77 = mul i64 %v76, %v69
  %v78 = getelementptr i8, ptr %v75, i64 %v77
  %v79 = load i64, ptr %v42, align 8
  %v80 = inttoptr i64 %v79 to ptr
  %v81 = load i64, ptr %v43, align 8
  %v82 = mul i64 %v81, %v69
  %v83 = getelementptr i8, ptr %v80, i64 %v82
  %v84 = load i64, ptr %v44, align 8
  %v85 = load i64, ptr %v45, align 8
  %v86 = mul i64 %v85, %v84
  %v87 = icmp slt i64 %v86, 1
  br i1 %v87, label %v71, label %v88
v88:
  %v89 = phi i64 [ %v90, %v88 ], [ 0, %v68 ]
  %v90 = add nuw nsw i64 %v89, 1
  %v91 = getelementptr float, ptr %v78, i64 %v89
  %v92 = load float, ptr %v91, align 4
  %v93 = getelementptr float, ptr %v83, i64 %v89
  store float %v92, ptr %v93, align 4
  %v94 = icmp eq i64 %v86, %v90
  br i1 %v94, label %v71, label %v88
v71:
  %v95 = load i64, ptr %v46, align 8
  %v96 = load i64, ptr %v47, align 8
  %v97 = inttoptr i64 %v96 to ptr
  %v98 = load i64, ptr %v48, align 8
  %v99 = mul i64 %v98, %v69
  %v100 = getelementptr i8, ptr %v97, i64 %v99
  %v101 = inttoptr i64 %v95 to ptr
  call void %v101(ptr %v53, ptr %v52, ptr %v51, ptr %v50, ptr %v44, ptr %v45, ptr %v49, ptr %v100, ptr %v44, ptr %v83, ptr %v44)
  %v102 = icmp sgt i64 %v72, 1
  br i1 %v102, label %v68, label %v55
v37:
  %v103 = load i64, ptr %v5, align 8
  %v104 = inttoptr i64 %v103 to ptr
  %v105 = getelementptr i8, ptr %v104, i64 152
  %v106 = load i64, ptr %v105, align 8
  %v107 = icmp eq i64 %v106, 0
  br i1 %v107, label %v108, label %v109
v109:
  %v110 = getelementptr i8, ptr %v104, i64 128
  %v111 = load i64, ptr %v110, align 8
  %v112 = inttoptr i64 %v111 to ptr
  call void %v112(ptr %v104)
  %v113 = getelementptr i8, ptr %v104, i64 176
  %v114 = load i64, ptr %v113, align 8
  %v115 = icmp sgt i64 %v114, 0
  br i1 %v115, label %v116, label %v117
v116:
  %v118 = add nsw i64 %v114, -1
  store i64 %v118, ptr %v113, align 8
  %v119 = icmp eq i64 %v118, 0
  br i1 %v119, label %v120, label %v117
v120:
  %v121 = getelementptr i8, ptr %v104, i64 144
  %v122 = load i64, ptr %v121, align 8
  %v123 = inttoptr i64 %v122 to ptr
  %v124 = call i32 %v123()
  %v125 = getelementptr i8, ptr %v104, i64 160
  %v126 = load i64, ptr %v125, align 8
  %v127 = sext i32 %v124 to i64
  %v128 = icmp eq i64 %v126, %v127
  br i1 %v128, label %v129, label %v117
v129:
  %v130 = load i64, ptr %v105, align 8
  %v131 = getelementptr i8, ptr %v104, i64 168
  %v132 = inttoptr i64 %v130 to ptr
  call void %v132(ptr %v131)
  br label %v117
v117:
  %v133 = getelementptr i8, ptr %v104, i64 136
  %v134 = load i64, ptr %v133, align 8
  %v135 = inttoptr i64 %v134 to ptr
  call void %v135(ptr %v104)
  br label %v108
v108:
  ret i32 0
}

define i32 @cholesky_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 8
  %v41 = getelementptr i8, ptr %v5, i64 72
  %v42 = getelementptr i8, ptr %v5, i64 40
  %v43 = getelementptr i8, ptr %v5, i64 48
  %v44 = getelementptr i8, ptr %v5, i64 56
  %v45 = getelementptr i8, ptr %v5, i64 64
  %v46 = getelementptr i8, ptr %v5, i64 88
  %v47 = getelementptr i8, ptr %v5, i64 80
  br label %v48
v49:
  %v50 = icmp sgt i64 %v51, 1
  br i1 %v50, label %v48, label %v38
v52:
  %v53 = icmp sgt i64 %v54, 1
  br i1 %v53, label %v55, label %v49
v48:
  %v56 = phi i64 [ %v1, %v39 ], [ %v57, %v49 ]
  %v51 = phi i64 [ %v36, %v39 ], [ %v58, %v49 ]
  %v58 = add nsw i64 %v51, -1
  %v57 = add i64 %v56, 1
  %v59 = load i64, ptr %v5, align 8
  %v60 = mul i64 %v59, %v57
  %v61 = load i64, ptr %v40, align 8
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 %v60)
  %v63 = mul i64 %v59, %v56
  %v64 = sub i64 %v62, %v63
  %v65 = icmp slt i64 %v64, 1
  br i1 %v65, label %v49, label %v55
v55:
  %v66 = phi i64 [ %v67, %v52 ], [ %v63, %v48 ]
  %v54 = phi i64 [ %v68, %v52 ], [ %v64, %v48 ]
  %v68 = add nsw i64 %v54, -1
  %v67 = add i64 %v66, 1
  %v69 = load i64, ptr %v41, align 8
  %v70 = load i64, ptr %v42, align 8
  %v71 = inttoptr i64 %v70 to ptr
  %v72 = load i64, ptr %v43, align 8
  %v73 = mul i64 %v72, %v66
  %v74 = getelementptr i8, ptr %v71, i64 %v73
  %v75 = load i64, ptr %v44, align 8
  %v76 = inttoptr i64 %v75 to ptr
  %v77 = load i64, ptr %v45, align 8
  %v78 = mul i64 %v77, %v66
  %v79 = getelementptr i8, ptr %v76, i64 %v78
  %v80 = mul i64 %v69, %v69
  %v81 = icmp slt i64 %v80, 1
  br i1 %v81, label %v82, label %v83
v83:
  %v84 = phi i64 [ %v85, %v83 ], [ 0, %v55 ]
  %v85 = add nuw nsw i64 %v84, 1
  %v86 = getelementptr float, ptr %v74, i64 %v84
  %v87 = load float, ptr %v86, align 4
  %v88 = getelementptr float, ptr %v79, i64 %v84
  store float %v87, ptr %v88, align 4
  %v89 = icmp eq i64 %v80, %v85
  br i1 %v89, label %v82, label %v83
v82:
  %v90 = load i64, ptr %v46, align 8
  %v91 = inttoptr i64 %v90 to ptr
  call void %v91(ptr %v47, ptr %v41, ptr %v79, ptr %v41, ptr %v4)
  %v92 = load i32, ptr %v4, align 8
  %v93 = icmp eq i32 %v92, 0
  br i1 %v93, label %v94, label %v38
v94:
  %v95 = call i64 @llvm.smax.i64(i64 %v69, i64 0)
  %v96 = add i64 %v69, 1
  %v97 = add i64 %v69, -1
  br label %v98
v98:
  %v99 = phi i64 [ 0, %v94 ], [ %v100, %v101 ]
  %v102 = icmp eq i64 %v99, %v95
  br i1 %v102, label %v103, label %v104
v103:
  %v105 = icmp slt i64 %v69, 1
  br i1 %v105, label %v52, label %v106
v101:
  %v100 = add nuw i64 %v99, 1
  %v107 = fcmp oeq float %v108, 0x7FF0000000000000
  %v109 = icmp slt i64 %v99, %v97
  %v110 = and i1 %v107, %v109
  br i1 %v110, label %v38, label %v98
v111:
  %v112 = icmp eq i64 %v69, %v113
  br i1 %v112, label %v52, label %v106
v104:
  %v114 = mul i64 %v99, %v96
  %v115 = getelementptr float, ptr %v79, i64 %v114
  %v108 = load float, ptr %v115, align 4
  %v116 = fcmp uno float %v108, 0.000000e+00
  br i1 %v116, label %v38, label %v101
v106:
  %v117 = phi i64 [ %v113, %v111 ], [ 0, %v103 ]
  %v113 = add nuw nsw i64 %v117, 1
  %v118 = icmp sgt i64 %v69, %v113
  br i1 %v118, label %v119, label %v111
v119:
  %v120 = mul i64 %v117, %v69
  %v121 = getelementptr float, ptr %v79, i64 %v120
  br label %v122
v122:
  %v123 = phi i64 [ %v113, %v119 ], [ %v124, %v122 ]
  %v124 = add nuw i64 %v123, 1
  %v125 = getelementptr float, ptr %v121, i64 %v123
  store float 0.000000e+00, ptr %v125, align 4
  %v126 = icmp eq i64 %v124, %v69
  br i1 %v126, label %v111, label %v122
v38:
  %v127 = phi i32 [ 4, %v82 ], [ 4, %v101 ], [ 0, %v12 ], [ 4, %v104 ], [ 0, %v49 ]
  %v128 = load i64, ptr %v6, align 8
  %v129 = inttoptr i64 %v128 to ptr
  %v130 = getelementptr i8, ptr %v129, i64 152
  %v131 = load i64, ptr %v130, align 8
  %v132 = icmp eq i64 %v131, 0
  br i1 %v132, label %v133, label %v134
v134:
  %v135 = getelementptr i8, ptr %v129, i64 128
  %v136 = load i64, ptr %v135, align 8
  %v137 = inttoptr i64 %v136 to ptr
  call void %v137(ptr %v129)
  %v138 = getelementptr i8, ptr %v129, i64 176
  %v139 = load i64, ptr %v138, align 8
  %v140 = icmp sgt i64 %v139, 0
  br i1 %v140, label %v141, label %v142
v141:
  %v143 = add nsw i64 %v139, -1
  store i64 %v143, ptr %v138, align 8
  %v144 = icmp eq i64 %v143, 0
  br i1 %v144, label %v145, label %v142
v145:
  %v146 = getelementptr i8, ptr %v129, i64 144
  %v147 = load i64, ptr %v146, align 8
  %v148 = inttoptr i64 %v147 to ptr
  %v149 = call i32 %v148()
  %v150 = getelementptr i8, ptr %v129, i64 160
  %v151 = load i64, ptr %v150, align 8
  %v152 = sext i32 %v149 to i64
  %v153 = icmp eq i64 %v151, %v152
  br i1 %v153, label %v154, label %v142
v154:
  %v155 = load i64, ptr %v130, align 8
  %v156 = getelementptr i8, ptr %v129, i64 168
  %v157 = inttoptr i64 %v155 to ptr
  call void %v157(ptr %v156)
  br label %v142
v142:
  %v158 = getelementptr i8, ptr %v129, i64 136
  %v159 = load i64, ptr %v158, align 8
  %v160 = inttoptr i64 %v159 to ptr
  call void %v160(ptr %v129)
  br label %v133
v133:
  ret i32 %v127
}

define i32 @lu_diagonal_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 56
  %v45 = getelementptr i8, ptr %v5, i64 64
  %v46 = getelementptr i8, ptr %v5, i64 88
  %v47 = getelementptr i8, ptr %v5, i64 40
  %v48 = getelementptr i8, ptr %v5, i64 48
  %v49 = getelementptr i8, ptr %v5, i64 80
  %v50 = getelementptr i8, ptr %v5, i64 96
  br label %v51
v52:
  %v53 = icmp sgt i64 %v54, 1
  br i1 %v53, label %v51, label %v38
v51:
  %v55 = phi i64 [ %v1, %v39 ], [ %v56, %v52 ]
  %v54 = phi i64 [ %v36, %v39 ], [ %v57, %v52 ]
  %v57 = add nsw i64 %v54, -1
  %v56 = add i64 %v55, 1
  %v58 = load i64, ptr %v40, align 8
  %v59 = inttoptr i64 %v58 to ptr
  %v60 = load i64, ptr %v41, align 8
  %v61 = mul i64 %v60, %v55
  %v62 = getelementptr i8, ptr %v59, i64 %v61
  %v63 = load i64, ptr %v5, align 8
  %v64 = mul i64 %v63, %v56
  %v65 = load i64, ptr %v42, align 8
  %v66 = call i64 @llvm.smin.i64(i64 %v65, i64 %v64)
  %v67 = mul i64 %v63, %v55
  %v68 = sub i64 %v66, %v67
  %v69 = icmp slt i64 %v68, 1
  br i1 %v69, label %v52, label %v70
v70:
  %v71 = phi i64 [ %v72, %v73 ], [ %v67, %v51 ]
  %v74 = phi i64 [ %v75, %v73 ], [ %v68, %v51 ]
  %v75 = add nsw i64 %v74, -1
  %v72 = add i64 %v71, 1
  %v76 = load i64, ptr %v43, align 8
  %v77 = load i64, ptr %v44, align 8
  %v78 = inttoptr i64 %v77 to ptr
  %v79 = load i64, ptr %v45, align 8
  %v80 = mul i64 %v79, %v71
  %v81 = getelementptr i8, ptr %v78, i64 %v80
  %v82 = load i64, ptr %v46, align 8
  %v83 = getelementptr i8, ptr %v62, i64 %v82
  %v84 = load i64, ptr %v47, align 8
  %v85 = inttoptr i64 %v84 to ptr
  %v86 = load i64, ptr %v48, align 8
  %v87 = mul i64 %v86, %v71
  %v88 = getelementptr i8, ptr %v85, i64 %v87
  %v89 = load i64, ptr %v49, align 8
  %v90 = getelementptr i8, ptr %v62, i64 %v89
  %v91 = mul i64 %v76, %v76
  %v92 = icmp slt i64 %v91, 1
  br i1 %v92, label %v93, label %v94
v94:
  %v95 = phi i64 [ %v96, %v94 ], [ 0, %v70 ]
  %v96 = add nuw nsw i64 %v95, 1
  %v97 = getelementptr float, ptr %v88, i64 %v95
  %v98 = load float, ptr %v97, align 4
  %v99 = getelementptr float, ptr %v90, i64 %v95
  store float %v98, ptr %v99, align 4
  %v100 = icmp eq i64 %v91, %v96
  br i1 %v100, label %v93, label %v94
v93:
  %v101 = load i64, ptr %v50, align 8
  %v102 = inttoptr i64 %v101 to ptr
  call void %v102(ptr %v43, ptr %v43, ptr %v90, ptr %v43, ptr %v83, ptr %v4)
  %v103 = icmp slt i64 %v76, 1
  br i1 %v103, label %v104, label %v105
v105:
  %v106 = add nuw i64 %v76, 1
  br label %v107
v104:
  %v108 = icmp slt i64 %v76, 1
  br i1 %v108, label %v73, label %v109
v109:
  %v110 = phi i64 [ %v111, %v109 ], [ 0, %v104 ]
  %v112 = phi i64 [ %v113, %v109 ], [ 0, %v104 ]
  %v113 = add nuw nsw i64 %v112, 1
  %v114 = getelementptr i32, ptr %v83, i64 %v112
  %v115 = load i32, ptr %v114, align 4
  %v116 = sext i32 %v115 to i64
  %v117 = icmp ne i64 %v113, %v116
  %v118 = zext i1 %v117 to i64
  %v111 = xor i64 %v110, %v118
  %v119 = icmp eq i64 %v76, %v113
  br i1 %v119, label %v120, label %v109
v120:
  %v121 = icmp eq i64 %v110, %v118
  br i1 %v121, label %v73, label %v122
v122:
  %v123 = load float, ptr %v81, align 4
  %v124 = fneg float %v123
  store float %v124, ptr %v81, align 4
  br label %v73
v107:
  %v125 = phi i64 [ 0, %v105 ], [ %v126, %v107 ]
  %v126 = add nuw nsw i64 %v125, 1
  %v127 = mul i64 %v125, %v106
  %v128 = getelementptr float, ptr %v90, i64 %v127
  %v129 = load float, ptr %v128, align 4
  %v130 = getelementptr float, ptr %v81, i64 %v125
  store float %v129, ptr %v130, align 4
  %v131 = icmp eq i64 %v76, %v126
  br i1 %v131, label %v104, label %v107
v73:
  %v132 = icmp sgt i64 %v74, 1
  br i1 %v132, label %v70, label %v52
v38:
  %v133 = load i64, ptr %v6, align 8
  %v134 = inttoptr i64 %v133 to ptr
  %v135 = getelementptr i8, ptr %v134, i64 152
  %v136 = load i64, ptr %v135, align 8
  %v137 = icmp eq i64 %v136, 0
  br i1 %v137, label %v138, label %v139
v139:
  %v140 = getelementptr i8, ptr %v134, i64 128
  %v141 = load i64, ptr %v140, align 8
  %v142 = inttoptr i64 %v141 to ptr
  call void %v142(ptr %v134)
  %v143 = getelementptr i8, ptr %v134, i64 176
  %v144 = load i64, ptr %v143, align 8
  %v145 = icmp sgt i64 %v144, 0
  br i1 %v145, label %v146, label %v147
v146:
  %v148 = add nsw i64 %v144, -1
  store i64 %v148, ptr %v143, align 8
  %v149 = icmp eq i64 %v148, 0
  br i1 %v149, label %v150, label %v147
v150:
  %v151 = getelementptr i8, ptr %v134, i64 144
  %v152 = load i64, ptr %v151, align 8
  %v153 = inttoptr i64 %v152 to ptr
  %v154 = call i32 %v153()
  %v155 = getelementptr i8, ptr %v134, i64 160
  %v156 = load i64, ptr %v155, align 8
  %v157 = sext i32 %v154 to i64
  %v158 = icmp eq i64 %v156, %v157
  br i1 %v158, label %v159, label %v147
v159:
  %v160 = load i64, ptr %v135, align 8
  %v161 = getelementptr i8, ptr %v134, i64 168
  %v162 = inttoptr i64 %v160 to ptr
  call void %v162(ptr %v161)
  br label %v147
v147:
  %v163 = getelementptr i8, ptr %v134, i64 136
  %v164 = load i64, ptr %v163, align 8
  %v165 = inttoptr i64 %v164 to ptr
  call void %v165(ptr %v134)
  br label %v138
v138:
  ret i32 0
}

define i32 @lu_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 80
  %v45 = getelementptr i8, ptr %v5, i64 96
  %v46 = getelementptr i8, ptr %v5, i64 40
  %v47 = getelementptr i8, ptr %v5, i64 48
  %v48 = getelementptr i8, ptr %v5, i64 56
  %v49 = getelementptr i8, ptr %v5, i64 64
  %v50 = getelementptr i8, ptr %v5, i64 104
  %v51 = getelementptr i8, ptr %v5, i64 112
  %v52 = getelementptr i8, ptr %v5, i64 120
  %v53 = getelementptr i8, ptr %v5, i64 88
  br label %v54
v55:
  %v56 = icmp sgt i64 %v57, 1
  br i1 %v56, label %v54, label %v38
v58:
  %v59 = icmp sgt i64 %v60, 1
  br i1 %v59, label %v61, label %v55
v54:
  %v62 = phi i64 [ %v1, %v39 ], [ %v63, %v55 ]
  %v57 = phi i64 [ %v36, %v39 ], [ %v64, %v55 ]
  %v64 = add nsw i64 %v57, -1
  %v63 = add i64 %v62, 1
  %v65 = load i64, ptr %v40, align 8
  %v66 = inttoptr i64 %v65 to ptr
  %v67 = load i64, ptr %v41, align 8
  %v68 = mul i64 %v67, %v62
  %v69 = getelementptr i8, ptr %v66, i64 %v68
  %v70 = load i64, ptr %v5, align 8
  %v71 = mul i64 %v70, %v63
  %v72 = load i64, ptr %v42, align 8
  %v73 = call i64 @llvm.smin.i64(i64 %v72, i64 %v71)
  %v74 = mul i64 %v70, %v62
  %v75 = sub i64 %v73, %v74
  %v76 = icmp slt i64 %v75, 1
  br i1 %v76, label %v55, label %v61
v61:
  %v60 = phi i64 [ %v77, %v58 ], [ %v75, %v54 ]
  %v78 = phi i64 [ %v79, %v58 ], [ %v74, %v54 ]
  %v77 = add nsw i64 %v60, -1
  %v79 = add i64 %v78, 1
  %v80 = load i64, ptr %v43, align 8
  %v81 = load i64, ptr %v44, align 8
  %v82 = load i64, ptr %v45, align 8
  %v83 = load i64, ptr %v46, align 8
  %v84 = inttoptr i64 %v83 to ptr
  %v85 = load i64, ptr %v47, align 8
  %v86 = mul i64 %v85, %v78
  %v87 = getelementptr i8, ptr %v84, i64 %v86
  %v88 = load i64, ptr %v48, align 8
  %v89 = inttoptr i64 %v88 to ptr
  %v90 = load i64, ptr %v49, align 8
  %v91 = mul i64 %v90, %v78
  %v92 = getelementptr i8, ptr %v89, i64 %v91
  %v93 = load i64, ptr %v50, align 8
  %v94 = getelementptr i8, ptr %v69, i64 %v93
  %v95 = load i64, ptr %v51, align 8
  %v96 = getelementptr i8, ptr %v69, i64 %v95
  %v97 = icmp slt i64 %v80, 1
  br i1 %v97, label %v98, label %v99
v99:
  %v100 = icmp slt i64 %v81, 1
  br label %v101
v102:
  %v103 = icmp eq i64 %v80, %v104
  br i1 %v103, label %v98, label %v101
v98:
  %v105 = load i64, ptr %v52, align 8
  %v106 = inttoptr i64 %v105 to ptr
  call void %v106(ptr %v43, ptr %v44, ptr %v94, ptr %v53, ptr %v96, ptr %v4)
  %v107 = icmp slt i64 %v80, 1
  br i1 %v107, label %v108, label %v109
v109:
  %v110 = icmp slt i64 %v81, 1
  br label %v111
v112:
  %v113 = icmp eq i64 %v80, %v114
  br i1 %v113, label %v108, label %v111
v108:
  %v115 = mul i64 %v81, %v80
  %v116 = getelementptr float, ptr %v92, i64 %v115
  %v117 = getelementptr float, ptr %v116, i64 %v82
  %v118 = icmp slt i64 %v80, 1
  br i1 %v118, label %v119, label %v120
v119:
  %v121 = icmp slt i64 %v82, 1
  br i1 %v121, label %v58, label %v122
v101:
  %v123 = phi i64 [ 0, %v99 ], [ %v104, %v102 ]
  %v104 = add nuw nsw i64 %v123, 1
  %v124 = getelementptr float, ptr %v94, i64 %v123
  br i1 %v100, label %v102, label %v125
v125:
  %v126 = mul i64 %v123, %v81
  %v127 = getelementptr float, ptr %v87, i64 %v126
  br label %v128
v128:
  %v129 = phi i64 [ 0, %v125 ], [ %v130, %v128 ]
  %v130 = add nuw nsw i64 %v129, 1
  %v131 = getelementptr float, ptr %v127, i64 %v129
  %v132 = load float, ptr %v131, align 4
  %v133 = mul i64 %v129, %v80
  %v134 = getelementptr float, ptr %v124, i64 %v133
  store float %v132, ptr %v134, align 4
  %v135 = icmp eq i64 %v81, %v130
  br i1 %v135, label %v102, label %v128
v111:
  %v136 = phi i64 [ 0, %v109 ], [ %v114, %v112 ]
  %v114 = add nuw nsw i64 %v136, 1
  %v137 = getelementptr float, ptr %v94, i64 %v136
  br i1 %v110, label %v112, label %v138
v138:
  %v139 = mul i64 %v136, %v81
  %v140 = getelementptr float, ptr %v92, i64 %v139
  br label %v141
v141:
  %v142 = phi i64 [ 0, %v138 ], [ %v143, %v141 ]
  %v143 = add nuw nsw i64 %v142, 1
  %v144 = mul i64 %v142, %v80
  %v145 = getelementptr float, ptr %v137, i64 %v144
  %v146 = load float, ptr %v145, align 4
  %v147 = getelementptr float, ptr %v140, i64 %v142
  store float %v146, ptr %v147, align 4
  %v148 = icmp eq i64 %v81, %v143
  br i1 %v148, label %v112, label %v141
v120:
  %v149 = phi i64 [ %v150, %v120 ], [ 0, %v108 ]
  %v150 = add nuw nsw i64 %v149, 1
  %v151 = uitofp i64 %v149 to double
  %v152 = fptrunc double %v151 to float
  %v153 = getelementptr float, ptr %v117, i64 %v149
  store float %v152, ptr %v153, align 4
  %v154 = icmp eq i64 %v80, %v150
  br i1 %v154, label %v119, label %v120
v122:
  %v155 = phi i64 [ %v156, %v122 ], [ 0, %v119 ]
  %v156 = add nuw nsw i64 %v155, 1
  %v157 = getelementptr i32, ptr %v96, i64 %v155
  %v158 = load i32, ptr %v157, align 4
  %v159 = sext i32 %v158 to i64
  %v160 = sitofp i32 %v158 to float
  %v161 = getelementptr float, ptr %v116, i64 %v155
  store float %v160, ptr %v161, align 4
  %v162 = getelementptr float, ptr %v117, i64 %v155
  %v163 = load float, ptr %v162, align 4
  %v164 = getelementptr float, ptr %v117, i64 %v159
  %v165 = getelementptr i8, ptr %v164, i64 -4
  %v166 = load float, ptr %v165, align 4
  store float %v166, ptr %v162, align 4
  store float %v163, ptr %v165, align 4
  %v167 = icmp eq i64 %v82, %v156
  br i1 %v167, label %v58, label %v122
v38:
  %v168 = load i64, ptr %v6, align 8
  %v169 = inttoptr i64 %v168 to ptr
  %v170 = getelementptr i8, ptr %v169, i64 152
  %v171 = load i64, ptr %v170, align 8
  %v172 = icmp eq i64 %v171, 0
  br i1 %v172, label %v173, label %v174
v174:
  %v175 = getelementptr i8, ptr %v169, i64 128
  %v176 = load i64, ptr %v175, align 8
  %v177 = inttoptr i64 %v176 to ptr
  call void %v177(ptr %v169)
  %v178 = getelementptr i8, ptr %v169, i64 176
  %v179 = load i64, ptr %v178, align 8
  %v180 = icmp sgt i64 %v179, 0
  br i1 %v180, label %v181, label %v182
v181:
  %v183 = add nsw i64 %v179, -1
  store i64 %v183, ptr %v178, align 8
  %v184 = icmp eq i64 %v183, 0
  br i1 %v184, label %v185, label %v182
v185:
  %v186 = getelementptr i8, ptr %v169, i64 144
  %v187 = load i64, ptr %v186, align 8
  %v188 = inttoptr i64 %v187 to ptr
  %v189 = call i32 %v188()
  %v190 = getelementptr i8, ptr %v169, i64 160
  %v191 = load i64, ptr %v190, align 8
  %v192 = sext i32 %v189 to i64
  %v193 = icmp eq i64 %v191, %v192
  br i1 %v193, label %v194, label %v182
v194:
  %v195 = load i64, ptr %v170, align 8
  %v196 = getelementptr i8, ptr %v169, i64 168
  %v197 = inttoptr i64 %v195 to ptr
  call void %v197(ptr %v196)
  br label %v182
v182:
  %v198 = getelementptr i8, ptr %v169, i64 136
  %v199 = load i64, ptr %v198, align 8
  %v200 = inttoptr i64 %v199 to ptr
  call void %v200(ptr %v169)
  br label %v173
v173:
  ret i32 0
}

define i32 @lu_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 80
  %v45 = getelementptr i8, ptr %v5, i64 96
  %v46 = getelementptr i8, ptr %v5, i64 40
  %v47 = getelementptr i8, ptr %v5, i64 48
  %v48 = getelementptr i8, ptr %v5, i64 56
  %v49 = getelementptr i8, ptr %v5, i64 64
  %v50 = getelementptr i8, ptr %v5, i64 104
  %v51 = getelementptr i8, ptr %v5, i64 112
  %v52 = getelementptr i8, ptr %v5, i64 120
  %v53 = getelementptr i8, ptr %v5, i64 88
  br label %v54
v55:
  %v56 = icmp sgt i64 %v57, 1
  br i1 %v56, label %v54, label %v38
v58:
  %v59 = icmp sgt i64 %v60, 1
  br i1 %v59, label %v61, label %v55
v54:
  %v62 = phi i64 [ %v1, %v39 ], [ %v63, %v55 ]
  %v57 = phi i64 [ %v36, %v39 ], [ %v64, %v55 ]
  %v64 = add nsw i64 %v57, -1
  %v63 = add i64 %v62, 1
  %v65 = load i64, ptr %v40, align 8
  %v66 = inttoptr i64 %v65 to ptr
  %v67 = load i64, ptr %v41, align 8
  %v68 = mul i64 %v67, %v62
  %v69 = getelementptr i8, ptr %v66, i64 %v68
  %v70 = load i64, ptr %v5, align 8
  %v71 = mul i64 %v70, %v63
  %v72 = load i64, ptr %v42, align 8
  %v73 = call i64 @llvm.smin.i64(i64 %v72, i64 %v71)
  %v74 = mul i64 %v70, %v62
  %v75 = sub i64 %v73, %v74
  %v76 = icmp slt i64 %v75, 1
  br i1 %v76, label %v55, label %v61
v61:
  %v60 = phi i64 [ %v77, %v58 ], [ %v75, %v54 ]
  %v78 = phi i64 [ %v79, %v58 ], [ %v74, %v54 ]
  %v77 = add nsw i64 %v60, -1
  %v79 = add i64 %v78, 1
  %v80 = load i64, ptr %v43, align 8
  %v81 = load i64, ptr %v44, align 8
  %v82 = load i64, ptr %v45, align 8
  %v83 = load i64, ptr %v46, align 8
  %v84 = inttoptr i64 %v83 to ptr
  %v85 = load i64, ptr %v47, align 8
  %v86 = mul i64 %v85, %v78
  %v87 = getelementptr i8, ptr %v84, i64 %v86
  %v88 = load i64, ptr %v48, align 8
  %v89 = inttoptr i64 %v88 to ptr
  %v90 = load i64, ptr %v49, align 8
  %v91 = mul i64 %v90, %v78
  %v92 = getelementptr i8, ptr %v89, i64 %v91
  %v93 = load i64, ptr %v50, align 8
  %v94 = getelementptr i8, ptr %v69, i64 %v93
  %v95 = load i64, ptr %v51, align 8
  %v96 = getelementptr i8, ptr %v69, i64 %v95
  %v97 = icmp slt i64 %v80, 1
  br i1 %v97, label %v98, label %v99
v99:
  %v100 = icmp slt i64 %v81, 1
  br label %v101
v102:
  %v103 = icmp eq i64 %v80, %v104
  br i1 %v103, label %v98, label %v101
v98:
  %v105 = load i64, ptr %v52, align 8
  %v106 = inttoptr i64 %v105 to ptr
  call void %v106(ptr %v43, ptr %v44, ptr %v94, ptr %v53, ptr %v96, ptr %v4)
  %v107 = icmp slt i64 %v80, 1
  br i1 %v107, label %v108, label %v109
v109:
  %v110 = icmp slt i64 %v81, 1
  br label %v111
v112:
  %v113 = icmp eq i64 %v80, %v114
  br i1 %v113, label %v108, label %v111
v108:
  %v115 = mul i64 %v81, %v80
  %v116 = getelementptr double, ptr %v92, i64 %v115
  %v117 = getelementptr double, ptr %v116, i64 %v82
  %v118 = icmp slt i64 %v80, 1
  br i1 %v118, label %v119, label %v120
v119:
  %v121 = icmp slt i64 %v82, 1
  br i1 %v121, label %v58, label %v122
v101:
  %v123 = phi i64 [ 0, %v99 ], [ %v104, %v102 ]
  %v104 = add nuw nsw i64 %v123, 1
  %v124 = getelementptr double, ptr %v94, i64 %v123
  br i1 %v100, label %v102, label %v125
v125:
  %v126 = mul i64 %v123, %v81
  %v127 = getelementptr double, ptr %v87, i64 %v126
  br label %v128
v128:
  %v129 = phi i64 [ 0, %v125 ], [ %v130, %v128 ]
  %v130 = add nuw nsw i64 %v129, 1
  %v131 = getelementptr double, ptr %v127, i64 %v129
  %v132 = load double, ptr %v131, align 8
  %v133 = mul i64 %v129, %v80
  %v134 = getelementptr double, ptr %v124, i64 %v133
  store double %v132, ptr %v134, align 8
  %v135 = icmp eq i64 %v81, %v130
  br i1 %v135, label %v102, label %v128
v111:
  %v136 = phi i64 [ 0, %v109 ], [ %v114, %v112 ]
  %v114 = add nuw nsw i64 %v136, 1
  %v137 = getelementptr double, ptr %v94, i64 %v136
  br i1 %v110, label %v112, label %v138
v138:
  %v139 = mul i64 %v136, %v81
  %v140 = getelementptr double, ptr %v92, i64 %v139
  br label %v141
v141:
  %v142 = phi i64 [ 0, %v138 ], [ %v143, %v141 ]
  %v143 = add nuw nsw i64 %v142, 1
  %v144 = mul i64 %v142, %v80
  %v145 = getelementptr double, ptr %v137, i64 %v144
  %v146 = load double, ptr %v145, align 8
  %v147 = getelementptr double, ptr %v140, i64 %v142
  store double %v146, ptr %v147, align 8
  %v148 = icmp eq i64 %v81, %v143
  br i1 %v148, label %v112, label %v141
v120:
  %v149 = phi i64 [ %v150, %v120 ], [ 0, %v108 ]
  %v150 = add nuw nsw i64 %v149, 1
  %v151 = uitofp i64 %v149 to double
  %v152 = getelementptr double, ptr %v117, i64 %v149
  store double %v151, ptr %v152, align 8
  %v153 = icmp eq i64 %v80, %v150
  br i1 %v153, label %v119, label %v120
v122:
  %v154 = phi i64 [ %v155, %v122 ], [ 0, %v119 ]
  %v155 = add nuw nsw i64 %v154, 1
  %v156 = getelementptr i32, ptr %v96, i64 %v154
  %v157 = load i32, ptr %v156, align 4
  %v158 = sext i32 %v157 to i64
  %v159 = sitofp i32 %v157 to double
  %v160 = getelementptr double, ptr %v116, i64 %v154
  store double %v159, ptr %v160, align 8
  %v161 = getelementptr double, ptr %v117, i64 %v154
  %v162 = load double, ptr %v161, align 8
  %v163 = getelementptr double, ptr %v117, i64 %v158
  %v164 = getelementptr i8, ptr %v163, i64 -8
  %v165 = load double, ptr %v164, align 8
  store double %v165, ptr %v161, align 8
  store double %v162, ptr %v164, align 8
  %v166 = icmp eq i64 %v82, %v155
  br i1 %v166, label %v58, label %v122
v38:
  %v167 = load i64, ptr %v6, align 8
  %v168 = inttoptr i64 %v167 to ptr
  %v169 = getelementptr i8, ptr %v168, i64 152
  %v170 = load i64, ptr %v169, align 8
  %v171 = icmp eq i64 %v170, 0
  br i1 %v171, label %v172, label %v173
v173:
  %v174 = getelementptr i8, ptr %v168, i64 128
  %v175 = load i64, ptr %v174, align 8
  %v176 = inttoptr i64 %v175 to ptr
  call void %v176(ptr %v168)
  %v177 = getelementptr i8, ptr %v168, i64 176
  %v178 = load i64, ptr %v177, align 8
  %v179 = icmp sgt i64 %v178, 0
  br i1 %v179, label %v180, label %v181
v180:
  %v182 = add nsw i64 %v178, -1
  store i64 %v182, ptr %v177, align 8
  %v183 = icmp eq i64 %v182, 0
  br i1 %v183, label %v184, label %v181
v184:
  %v185 = getelementptr i8, ptr %v168, i64 144
  %v186 = load i64, ptr %v185, align 8
  %v187 = inttoptr i64 %v186 to ptr
  %v188 = call i32 %v187()
  %v189 = getelementptr i8, ptr %v168, i64 160
  %v190 = load i64, ptr %v189, align 8
  %v191 = sext i32 %v188 to i64
  %v192 = icmp eq i64 %v190, %v191
  br i1 %v192, label %v193, label %v181
v193:
  %v194 = load i64, ptr %v169, align 8
  %v195 = getelementptr i8, ptr %v168, i64 168
  %v196 = inttoptr i64 %v194 to ptr
  call void %v196(ptr %v195)
  br label %v181
v181:
  %v197 = getelementptr i8, ptr %v168, i64 136
  %v198 = load i64, ptr %v197, align 8
  %v199 = inttoptr i64 %v198 to ptr
  call void %v199(ptr %v168)
  br label %v172
v172:
  ret i32 0
}

declare float @llvm.fabs.f32(float)

define i32 @adjugate_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 88
  %v45 = getelementptr i8, ptr %v5, i64 40
  %v46 = getelementptr i8, ptr %v5, i64 48
  %v47 = getelementptr i8, ptr %v5, i64 56
  %v48 = getelementptr i8, ptr %v5, i64 64
  %v49 = getelementptr i8, ptr %v5, i64 104
  %v50 = getelementptr i8, ptr %v5, i64 112
  %v51 = getelementptr i8, ptr %v5, i64 96
  %v52 = getelementptr i8, ptr %v5, i64 80
  br label %v53
v54:
  %v55 = icmp sgt i64 %v56, 1
  br i1 %v55, label %v53, label %v38
v57:
  %v58 = icmp sgt i64 %v59, 1
  br i1 %v58, label %v60, label %v54
v53:
  %v61 = phi i64 [ %v1, %v39 ], [ %v62, %v54 ]
  %v56 = phi i64 [ %v36, %v39 ], [ %v63, %v54 ]
  %v63 = add nsw i64 %v56, -1
  %v62 = add i64 %v61, 1
  %v64 = load i64, ptr %v40, align 8
  %v65 = inttoptr i64 %v64 to ptr
  %v66 = load i64, ptr %v41, align 8
  %v67 = mul i64 %v66, %v61
  %v68 = getelementptr i8, ptr %v65, i64 %v67
  %v69 = load i64, ptr %v5, align 8
  %v70 = mul i64 %v69, %v62
  %v71 = load i64, ptr %v42, align 8
  %v72 = call i64 @llvm.smin.i64(i64 %v71, i64 %v70)
  %v73 = mul i64 %v69, %v61
  %v74 = sub i64 %v72, %v73
  %v75 = icmp slt i64 %v74, 1
  br i1 %v75, label %v54, label %v60
v60:
  %v59 = phi i64 [ %v76, %v57 ], [ %v74, %v53 ]
  %v77 = phi i64 [ %v78, %v57 ], [ %v73, %v53 ]
  %v76 = add nsw i64 %v59, -1
  %v78 = add i64 %v77, 1
  %v79 = load i64, ptr %v43, align 8
  %v80 = load i64, ptr %v44, align 8
  %v81 = getelementptr i8, ptr %v68, i64 %v80
  %v82 = load i64, ptr %v45, align 8
  %v83 = inttoptr i64 %v82 to ptr
  %v84 = load i64, ptr %v46, align 8
  %v85 = mul i64 %v84, %v77
  %v86 = getelementptr i8, ptr %v83, i64 %v85
  %v87 = load i64, ptr %v47, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v48, align 8
  %v90 = mul i64 %v89, %v77
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = mul i64 %v79, %v79
  %v93 = icmp slt i64 %v92, 1
  br i1 %v93, label %v94, label %v95
v95:
  %v96 = phi i64 [ %v97, %v95 ], [ 0, %v60 ]
  %v97 = add nuw nsw i64 %v96, 1
  %v98 = getelementptr float, ptr %v86, i64 %v96
  %v99 = load float, ptr %v98, align 4
  %v100 = getelementptr float, ptr %v91, i64 %v96
  store float %v99, ptr %v100, align 4
  %v101 = icmp eq i64 %v92, %v97
  br i1 %v101, label %v94, label %v95
v94:
  %v102 = load i64, ptr %v49, align 8
  %v103 = inttoptr i64 %v102 to ptr
  call void %v103(ptr %v43, ptr %v43, ptr %v91, ptr %v43, ptr %v81, ptr %v4)
  %v104 = icmp slt i64 %v79, 1
  br i1 %v104, label %v105, label %v106
v106:
  %v107 = add nuw i64 %v79, 1
  br label %v108
v105:
  %v109 = phi float [ 0.000000e+00, %v94 ], [ %v110, %v108 ]
  %v111 = fcmp ogt float %v109, 0.000000e+00
  %v112 = fmul float %v109, 0x3E80000000000000
  %v113 = select i1 %v111, float %v112, float 0x3E80000000000000
  %v114 = icmp slt i64 %v79, 1
  br i1 %v114, label %v115, label %v116
v116:
  %v117 = add nuw i64 %v79, 1
  br label %v118
v115:
  %v119 = phi float [ 1.000000e+00, %v105 ], [ %v120, %v118 ]
  %v121 = icmp slt i64 %v79, 1
  br i1 %v121, label %v122, label %v123
v123:
  %v124 = phi i64 [ %v125, %v123 ], [ 0, %v115 ]
  %v126 = phi i64 [ %v127, %v123 ], [ 0, %v115 ]
  %v127 = add nuw nsw i64 %v126, 1
  %v128 = getelementptr i32, ptr %v81, i64 %v126
  %v129 = load i32, ptr %v128, align 4
  %v130 = sext i32 %v129 to i64
  %v131 = icmp ne i64 %v127, %v130
  %v132 = zext i1 %v131 to i64
  %v125 = xor i64 %v124, %v132
  %v133 = icmp eq i64 %v79, %v127
  br i1 %v133, label %v134, label %v123
v134:
  %v135 = icmp eq i64 %v124, %v132
  br label %v122
v122:
  %v136 = phi i1 [ true, %v115 ], [ %v135, %v134 ]
  %v137 = fneg float %v119
  %v138 = select i1 %v136, float %v119, float %v137
  %v139 = load i64, ptr %v50, align 8
  %v140 = load i64, ptr %v51, align 8
  %v141 = getelementptr i8, ptr %v68, i64 %v140
  %v142 = inttoptr i64 %v139 to ptr
  call void %v142(ptr %v43, ptr %v91, ptr %v43, ptr %v81, ptr %v141, ptr %v52, ptr %v4)
  %v143 = icmp slt i64 %v92, 1
  br i1 %v143, label %v57, label %v144
v108:
  %v145 = phi float [ 0.000000e+00, %v106 ], [ %v110, %v108 ]
  %v146 = phi i64 [ 0, %v106 ], [ %v147, %v108 ]
  %v147 = add nuw nsw i64 %v146, 1
  %v148 = mul i64 %v146, %v107
  %v149 = getelementptr float, ptr %v91, i64 %v148
  %v150 = load float, ptr %v149, align 4
  %v151 = call float @llvm.fabs.f32(float %v150)
  %v152 = fcmp ogt float %v151, %v145
  %v110 = select i1 %v152, float %v151, float %v145
  %v153 = icmp eq i64 %v79, %v147
  br i1 %v153, label %v105, label %v108
v118:
  %v154 = phi float [ 1.000000e+00, %v116 ], [ %v120, %v118 ]
  %v155 = phi i64 [ 0, %v116 ], [ %v156, %v118 ]
  %v156 = add nuw nsw i64 %v155, 1
  %v157 = mul i64 %v155, %v117
  %v158 = getelementptr float, ptr %v91, i64 %v157
  %v159 = load float, ptr %v158, align 4
  %v160 = fcmp oeq float %v159, 0.000000e+00
  %v161 = select i1 %v160, float %v113, float %v159
  store float %v161, ptr %v158, align 4
  %v120 = fmul float %v154, %v161
  %v162 = icmp eq i64 %v79, %v156
  br i1 %v162, label %v115, label %v118
v144:
  %v163 = phi i64 [ %v164, %v144 ], [ 0, %v122 ]
  %v164 = add nuw nsw i64 %v163, 1
  %v165 = getelementptr float, ptr %v91, i64 %v163
  %v166 = load float, ptr %v165, align 4
  %v167 = fmul float %v138, %v166
  store float %v167, ptr %v165, align 4
  %v168 = icmp eq i64 %v92, %v164
  br i1 %v168, label %v57, label %v144
v38:
  %v169 = load i64, ptr %v6, align 8
  %v170 = inttoptr i64 %v169 to ptr
  %v171 = getelementptr i8, ptr %v170, i64 152
  %v172 = load i64, ptr %v171, align 8
  %v173 = icmp eq i64 %v172, 0
  br i1 %v173, label %v174, label %v175
v175:
  %v176 = getelementptr i8, ptr %v170, i64 128
  %v177 = load i64, ptr %v176, align 8
  %v178 = inttoptr i64 %v177 to ptr
  call void %v178(ptr %v170)
  %v179 = getelementptr i8, ptr %v170, i64 176
  %v180 = load i64, ptr %v179, align 8
  %v181 = icmp sgt i64 %v180, 0
  br i1 %v181, label %v182, label %v183
v182:
  %v184 = add nsw i64 %v180, -1
  store i64 %v184, ptr %v179, align 8
  %v185 = icmp eq i64 %v184, 0
  br i1 %v185, label %v186, label %v183
v186:
  %v187 = getelementptr i8, ptr %v170, i64 144
  %v188 = load i64, ptr %v187, align 8
  %v189 = inttoptr i64 %v188 to ptr
  %v190 = call i32 %v189()
  %v191 = getelementptr i8, ptr %v170, i64 160
  %v192 = load i64, ptr %v191, align 8
  %v193 = sext i32 %v190 to i64
  %v194 = icmp eq i64 %v192, %v193
  br i1 %v194, label %v195, label %v183
v195:
  %v196 = load i64, ptr %v171, align 8
  %v197 = getelementptr i8, ptr %v170, i64 168
  %v198 = inttoptr i64 %v196 to ptr
  call void %v198(ptr %v197)
  br label %v183
v183:
  %v199 = getelementptr i8, ptr %v170, i64 136
  %v200 = load i64, ptr %v199, align 8
  %v201 = inttoptr i64 %v200 to ptr
  call void %v201(ptr %v170)
  br label %v174
v174:
  ret i32 0
}

declare double @llvm.fabs.f64(double)

define i32 @adjugate_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 88
  %v45 = getelementptr i8, ptr %v5, i64 40
  %v46 = getelementptr i8, ptr %v5, i64 48
  %v47 = getelementptr i8, ptr %v5, i64 56
  %v48 = getelementptr i8, ptr %v5, i64 64
  %v49 = getelementptr i8, ptr %v5, i64 104
  %v50 = getelementptr i8, ptr %v5, i64 112
  %v51 = getelementptr i8, ptr %v5, i64 96
  %v52 = getelementptr i8, ptr %v5, i64 80
  br label %v53
v54:
  %v55 = icmp sgt i64 %v56, 1
  br i1 %v55, label %v53, label %v38
v57:
  %v58 = icmp sgt i64 %v59, 1
  br i1 %v58, label %v60, label %v54
v53:
  %v61 = phi i64 [ %v1, %v39 ], [ %v62, %v54 ]
  %v56 = phi i64 [ %v36, %v39 ], [ %v63, %v54 ]
  %v63 = add nsw i64 %v56, -1
  %v62 = add i64 %v61, 1
  %v64 = load i64, ptr %v40, align 8
  %v65 = inttoptr i64 %v64 to ptr
  %v66 = load i64, ptr %v41, align 8
  %v67 = mul i64 %v66, %v61
  %v68 = getelementptr i8, ptr %v65, i64 %v67
  %v69 = load i64, ptr %v5, align 8
  %v70 = mul i64 %v69, %v62
  %v71 = load i64, ptr %v42, align 8
  %v72 = call i64 @llvm.smin.i64(i64 %v71, i64 %v70)
  %v73 = mul i64 %v69, %v61
  %v74 = sub i64 %v72, %v73
  %v75 = icmp slt i64 %v74, 1
  br i1 %v75, label %v54, label %v60
v60:
  %v59 = phi i64 [ %v76, %v57 ], [ %v74, %v53 ]
  %v77 = phi i64 [ %v78, %v57 ], [ %v73, %v53 ]
  %v76 = add nsw i64 %v59, -1
  %v78 = add i64 %v77, 1
  %v79 = load i64, ptr %v43, align 8
  %v80 = load i64, ptr %v44, align 8
  %v81 = getelementptr i8, ptr %v68, i64 %v80
  %v82 = load i64, ptr %v45, align 8
  %v83 = inttoptr i64 %v82 to ptr
  %v84 = load i64, ptr %v46, align 8
  %v85 = mul i64 %v84, %v77
  %v86 = getelementptr i8, ptr %v83, i64 %v85
  %v87 = load i64, ptr %v47, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v48, align 8
  %v90 = mul i64 %v89, %v77
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = mul i64 %v79, %v79
  %v93 = icmp slt i64 %v92, 1
  br i1 %v93, label %v94, label %v95
v95:
  %v96 = phi i64 [ %v97, %v95 ], [ 0, %v60 ]
  %v97 = add nuw nsw i64 %v96, 1
  %v98 = getelementptr double, ptr %v86, i64 %v96
  %v99 = load double, ptr %v98, align 8
  %v100 = getelementptr double, ptr %v91, i64 %v96
  store double %v99, ptr %v100, align 8
  %v101 = icmp eq i64 %v92, %v97
  br i1 %v101, label %v94, label %v95
v94:
  %v102 = load i64, ptr %v49, align 8
  %v103 = inttoptr i64 %v102 to ptr
  call void %v103(ptr %v43, ptr %v43, ptr %v91, ptr %v43, ptr %v81, ptr %v4)
  %v104 = icmp slt i64 %v79, 1
  br i1 %v104, label %v105, label %v106
v106:
  %v107 = add nuw i64 %v79, 1
  br label %v108
v105:
  %v109 = phi double [ 0.000000e+00, %v94 ], [ %v110, %v108 ]
  %v111 = fcmp ogt double %v109, 0.000000e+00
  %v112 = fmul double %v109, 0x3CB0000000000000
  %v113 = select i1 %v111, double %v112, double 0x3CB0000000000000
  %v114 = icmp slt i64 %v79, 1
  br i1 %v114, label %v115, label %v116
v116:
  %v117 = add nuw i64 %v79, 1
  br label %v118
v115:
  %v119 = phi double [ 1.000000e+00, %v105 ], [ %v120, %v118 ]
  %v121 = icmp slt i64 %v79, 1
  br i1 %v121, label %v122, label %v123
v123:
  %v124 = phi i64 [ %v125, %v123 ], [ 0, %v115 ]
  %v126 = phi i64 [ %v127, %v123 ], [ 0, %v115 ]
  %v127 = add nuw nsw i64 %v126, 1
  %v128 = getelementptr i32, ptr %v81, i64 %v126
  %v129 = load i32, ptr %v128, align 4
  %v130 = sext i32 %v129 to i64
  %v131 = icmp ne i64 %v127, %v130
  %v132 = zext i1 %v131 to i64
  %v125 = xor i64 %v124, %v132
  %v133 = icmp eq i64 %v79, %v127
  br i1 %v133, label %v134, label %v123
v134:
  %v135 = icmp eq i64 %v124, %v132
  br label %v122
v122:
  %v136 = phi i1 [ true, %v115 ], [ %v135, %v134 ]
  %v137 = fneg double %v119
  %v138 = select i1 %v136, double %v119, double %v137
  %v139 = load i64, ptr %v50, align 8
  %v140 = load i64, ptr %v51, align 8
  %v141 = getelementptr i8, ptr %v68, i64 %v140
  %v142 = inttoptr i64 %v139 to ptr
  call void %v142(ptr %v43, ptr %v91, ptr %v43, ptr %v81, ptr %v141, ptr %v52, ptr %v4)
  %v143 = icmp slt i64 %v92, 1
  br i1 %v143, label %v57, label %v144
v108:
  %v145 = phi double [ 0.000000e+00, %v106 ], [ %v110, %v108 ]
  %v146 = phi i64 [ 0, %v106 ], [ %v147, %v108 ]
  %v147 = add nuw nsw i64 %v146, 1
  %v148 = mul i64 %v146, %v107
  %v149 = getelementptr double, ptr %v91, i64 %v148
  %v150 = load double, ptr %v149, align 8
  %v151 = call double @llvm.fabs.f64(double %v150)
  %v152 = fcmp ogt double %v151, %v145
  %v110 = select i1 %v152, double %v151, double %v145
  %v153 = icmp eq i64 %v79, %v147
  br i1 %v153, label %v105, label %v108
v118:
  %v154 = phi double [ 1.000000e+00, %v116 ], [ %v120, %v118 ]
  %v155 = phi i64 [ 0, %v116 ], [ %v156, %v118 ]
  %v156 = add nuw nsw i64 %v155, 1
  %v157 = mul i64 %v155, %v117
  %v158 = getelementptr double, ptr %v91, i64 %v157
  %v159 = load double, ptr %v158, align 8
  %v160 = fcmp oeq double %v159, 0.000000e+00
  %v161 = select i1 %v160, double %v113, double %v159
  store double %v161, ptr %v158, align 8
  %v120 = fmul double %v154, %v161
  %v162 = icmp eq i64 %v79, %v156
  br i1 %v162, label %v115, label %v118
v144:
  %v163 = phi i64 [ %v164, %v144 ], [ 0, %v122 ]
  %v164 = add nuw nsw i64 %v163, 1
  %v165 = getelementptr double, ptr %v91, i64 %v163
  %v166 = load double, ptr %v165, align 8
  %v167 = fmul double %v138, %v166
  store double %v167, ptr %v165, align 8
  %v168 = icmp eq i64 %v92, %v164
  br i1 %v168, label %v57, label %v144
v38:
  %v169 = load i64, ptr %v6, align 8
  %v170 = inttoptr i64 %v169 to ptr
  %v171 = getelementptr i8, ptr %v170, i64 152
  %v172 = load i64, ptr %v171, align 8
  %v173 = icmp eq i64 %v172, 0
  br i1 %v173, label %v174, label %v175
v175:
  %v176 = getelementptr i8, ptr %v170, i64 128
  %v177 = load i64, ptr %v176, align 8
  %v178 = inttoptr i64 %v177 to ptr
  call void %v178(ptr %v170)
  %v179 = getelementptr i8, ptr %v170, i64 176
  %v180 = load i64, ptr %v179, align 8
  %v181 = icmp sgt i64 %v180, 0
  br i1 %v181, label %v182, label %v183
v182:
  %v184 = add nsw i64 %v180, -1
  store i64 %v184, ptr %v179, align 8
  %v185 = icmp eq i64 %v184, 0
  br i1 %v185, label %v186, label %v183
v186:
  %v187 = getelementptr i8, ptr %v170, i64 144
  %v188 = load i64, ptr %v187, align 8
  %v189 = inttoptr i64 %v188 to ptr
  %v190 = call i32 %v189()
  %v191 = getelementptr i8, ptr %v170, i64 160
  %v192 = load i64, ptr %v191, align 8
  %v193 = sext i32 %v190 to i64
  %v194 = icmp eq i64 %v192, %v193
  br i1 %v194, label %v195, label %v183
v195:
  %v196 = load i64, ptr %v171, align 8
  %v197 = getelementptr i8, ptr %v170, i64 168
  %v198 = inttoptr i64 %v196 to ptr
  call void %v198(ptr %v197)
  br label %v183
v183:
  %v199 = getelementptr i8, ptr %v170, i64 136
  %v200 = load i64, ptr %v199, align 8
  %v201 = inttoptr i64 %v200 to ptr
  call void %v201(ptr %v170)
  br label %v174
v174:
  ret i32 0
}

define i32 @qr_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 80
  %v45 = getelementptr i8, ptr %v5, i64 104
  %v46 = getelementptr i8, ptr %v5, i64 56
  %v47 = getelementptr i8, ptr %v5, i64 64
  %v48 = getelementptr i8, ptr %v5, i64 120
  %v49 = getelementptr i8, ptr %v5, i64 128
  %v50 = getelementptr i8, ptr %v5, i64 136
  %v51 = getelementptr i8, ptr %v5, i64 40
  %v52 = getelementptr i8, ptr %v5, i64 48
  %v53 = getelementptr i8, ptr %v5, i64 144
  %v54 = getelementptr i8, ptr %v5, i64 88
  %v55 = getelementptr i8, ptr %v5, i64 112
  %v56 = getelementptr i8, ptr %v5, i64 96
  %v57 = getelementptr i8, ptr %v5, i64 152
  %v58 = getelementptr i8, ptr %v5, i64 96
  br label %v59
v60:
  %v61 = icmp sgt i64 %v62, 1
  br i1 %v61, label %v59, label %v38
v59:
  %v63 = phi i64 [ %v1, %v39 ], [ %v64, %v60 ]
  %v62 = phi i64 [ %v36, %v39 ], [ %v65, %v60 ]
  %v65 = add nsw i64 %v62, -1
  %v64 = add i64 %v63, 1
  %v66 = load i64, ptr %v40, align 8
  %v67 = inttoptr i64 %v66 to ptr
  %v68 = load i64, ptr %v41, align 8
  %v69 = mul i64 %v68, %v63
  %v70 = getelementptr i8, ptr %v67, i64 %v69
  %v71 = load i64, ptr %v5, align 8
  %v72 = mul i64 %v71, %v64
  %v73 = load i64, ptr %v42, align 8
  %v74 = call i64 @llvm.smin.i64(i64 %v73, i64 %v72)
  %v75 = mul i64 %v71, %v63
  %v76 = sub i64 %v74, %v75
  %v77 = icmp slt i64 %v76, 1
  br i1 %v77, label %v60, label %v78
v78:
  %v79 = phi i64 [ %v80, %v81 ], [ %v76, %v59 ]
  %v82 = phi i64 [ %v83, %v81 ], [ %v75, %v59 ]
  %v80 = add nsw i64 %v79, -1
  %v83 = add i64 %v82, 1
  %v84 = load i64, ptr %v43, align 8
  %v85 = load i64, ptr %v44, align 8
  %v86 = load i64, ptr %v45, align 8
  %v87 = load i64, ptr %v46, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v47, align 8
  %v90 = mul i64 %v89, %v82
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = load i64, ptr %v48, align 8
  %v93 = getelementptr i8, ptr %v70, i64 %v92
  %v94 = load i64, ptr %v49, align 8
  %v95 = getelementptr i8, ptr %v70, i64 %v94
  %v96 = load i64, ptr %v50, align 8
  %v97 = getelementptr i8, ptr %v70, i64 %v96
  %v98 = load i64, ptr %v51, align 8
  %v99 = inttoptr i64 %v98 to ptr
  %v100 = load i64, ptr %v52, align 8
  %v101 = mul i64 %v100, %v82
  %v102 = getelementptr i8, ptr %v99, i64 %v101
  %v103 = mul i64 %v85, %v84
  %v104 = icmp slt i64 %v103, 1
  br i1 %v104, label %v105, label %v106
v106:
  %v107 = phi i64 [ %v108, %v106 ], [ 0, %v78 ]
  %v108 = add nuw nsw i64 %v107, 1
  %v109 = getelementptr float, ptr %v102, i64 %v107
  %v110 = load float, ptr %v109, align 4
  %v111 = getelementptr float, ptr %v93, i64 %v107
  store float %v110, ptr %v111, align 4
  %v112 = icmp eq i64 %v103, %v108
  br i1 %v112, label %v105, label %v106
v105:
  %v113 = load i64, ptr %v53, align 8
  %v114 = inttoptr i64 %v113 to ptr
  call void %v114(ptr %v44, ptr %v43, ptr %v93, ptr %v54, ptr %v95, ptr %v97, ptr %v55, ptr %v4)
  %v115 = mul i64 %v86, %v84
  %v116 = getelementptr float, ptr %v91, i64 %v115
  %v117 = icmp slt i64 %v86, 1
  br i1 %v117, label %v118, label %v119
v119:
  %v120 = icmp slt i64 %v85, 1
  br label %v121
v122:
  %v123 = icmp eq i64 %v124, %v86
  br i1 %v123, label %v118, label %v121
v125:
  %v126 = getelementptr float, ptr %v127, i64 %v128
  %v129 = load float, ptr %v126, align 4
  br label %v130
v130:
  %v131 = phi float [ %v129, %v125 ], [ 0.000000e+00, %v132 ]
  %v133 = getelementptr float, ptr %v134, i64 %v128
  store float %v131, ptr %v133, align 4
  %v135 = icmp eq i64 %v85, %v136
  br i1 %v135, label %v122, label %v132
v118:
  %v137 = icmp slt i64 %v84, 1
  br i1 %v137, label %v81, label %v138
v139:
  %v140 = icmp eq i64 %v84, %v141
  br i1 %v140, label %v81, label %v138
v121:
  %v142 = phi i64 [ 0, %v119 ], [ %v124, %v122 ]
  %v124 = add nuw nsw i64 %v142, 1
  br i1 %v120, label %v122, label %v143
v143:
  %v144 = mul i64 %v142, %v85
  %v127 = getelementptr float, ptr %v93, i64 %v144
  %v145 = mul i64 %v142, %v85
  %v134 = getelementptr float, ptr %v116, i64 %v145
  br label %v132
v132:
  %v128 = phi i64 [ 0, %v143 ], [ %v136, %v130 ]
  %v136 = add nuw nsw i64 %v128, 1
  %v146 = icmp ult i64 %v128, %v142
  br i1 %v146, label %v130, label %v125
v138:
  %v147 = phi i64 [ %v141, %v139 ], [ 0, %v118 ]
  %v141 = add nuw nsw i64 %v147, 1
  %v148 = load i64, ptr %v56, align 8
  %v149 = icmp slt i64 %v148, 1
  br i1 %v149, label %v139, label %v150
v150:
  %v151 = mul i64 %v147, %v85
  %v152 = getelementptr float, ptr %v93, i64 %v151
  %v153 = mul i64 %v147, %v86
  %v154 = getelementptr float, ptr %v91, i64 %v153
  br label %v155
v155:
  %v156 = phi i64 [ 0, %v150 ], [ %v157, %v155 ]
  %v157 = add nuw nsw i64 %v156, 1
  %v158 = getelementptr float, ptr %v152, i64 %v156
  %v159 = load float, ptr %v158, align 4
  %v160 = getelementptr float, ptr %v154, i64 %v156
  store float %v159, ptr %v160, align 4
  %v161 = icmp eq i64 %v157, %v148
  br i1 %v161, label %v139, label %v155
v81:
  %v162 = load i64, ptr %v57, align 8
  %v163 = inttoptr i64 %v162 to ptr
  call void %v163(ptr %v45, ptr %v43, ptr %v58, ptr %v91, ptr %v45, ptr %v95, ptr %v97, ptr %v55, ptr %v4)
  %v164 = icmp sgt i64 %v79, 1
  br i1 %v164, label %v78, label %v60
v38:
  %v165 = load i64, ptr %v6, align 8
  %v166 = inttoptr i64 %v165 to ptr
  %v167 = getelementptr i8, ptr %v166, i64 152
  %v168 = load i64, ptr %v167, align 8
  %v169 = icmp eq i64 %v168, 0
  br i1 %v169, label %v170, label %v171
v171:
  %v172 = getelementptr i8, ptr %v166, i64 128
  %v173 = load i64, ptr %v172, align 8
  %v174 = inttoptr i64 %v173 to ptr
  call void %v174(ptr %v166)
  %v175 = getelementptr i8, ptr %v166, i64 176
  %v176 = load i64, ptr %v175, align 8
  %v177 = icmp sgt i64 %v176, 0
  br i1 %v177, label %v178, label %v179
v178:
  %v180 = add nsw i64 %v176, -1
  store i64 %v180, ptr %v175, align 8
  %v181 = icmp eq i64 %v180, 0
  br i1 %v181, label %v182, label %v179
v182:
  %v183 = getelementptr i8, ptr %v166, i64 144
  %v184 = load i64, ptr %v183, align 8
  %v185 = inttoptr i64 %v184 to ptr
  %v186 = call i32 %v185()
  %v187 = getelementptr i8, ptr %v166, i64 160
  %v188 = load i64, ptr %v187, align 8
  %v189 = sext i32 %v186 to i64
  %v190 = icmp eq i64 %v188, %v189
  br i1 %v190, label %v191, label %v179
v191:
  %v192 = load i64, ptr %v167, align 8
  %v193 = getelementptr i8, ptr %v166, i64 168
  %v194 = inttoptr i64 %v192 to ptr
  call void %v194(ptr %v193)
  br label %v179
v179:
  %v195 = getelementptr i8, ptr %v166, i64 136
  %v196 = load i64, ptr %v195, align 8
  %v197 = inttoptr i64 %v196 to ptr
  call void %v197(ptr %v166)
  br label %v170
v170:
  ret i32 0
}

define i32 @eigh_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 72
  %v44 = getelementptr i8, ptr %v5, i64 56
  %v45 = getelementptr i8, ptr %v5, i64 64
  %v46 = getelementptr i8, ptr %v5, i64 112
  %v47 = getelementptr i8, ptr %v5, i64 120
  %v48 = getelementptr i8, ptr %v5, i64 40
  %v49 = getelementptr i8, ptr %v5, i64 48
  %v50 = getelementptr i8, ptr %v5, i64 128
  %v51 = getelementptr i8, ptr %v5, i64 80
  %v52 = getelementptr i8, ptr %v5, i64 88
  %v53 = getelementptr i8, ptr %v5, i64 96
  %v54 = getelementptr i8, ptr %v5, i64 104
  br label %v55
v56:
  %v57 = icmp sgt i64 %v58, 1
  br i1 %v57, label %v55, label %v38
v59:
  %v60 = phi i64 [ %v61, %v55 ], [ %v62, %v63 ]
  %v64 = phi i64 [ %v65, %v55 ], [ %v66, %v63 ]
  %v67 = icmp sgt i64 %v60, 0
  br i1 %v67, label %v68, label %v56
v55:
  %v69 = phi i64 [ %v1, %v39 ], [ %v70, %v56 ]
  %v58 = phi i64 [ %v36, %v39 ], [ %v71, %v56 ]
  %v71 = add nsw i64 %v58, -1
  %v70 = add i64 %v69, 1
  %v72 = load i64, ptr %v40, align 8
  %v73 = inttoptr i64 %v72 to ptr
  %v74 = load i64, ptr %v41, align 8
  %v75 = mul i64 %v74, %v69
  %v76 = getelementptr i8, ptr %v73, i64 %v75
  %v77 = load i64, ptr %v5, align 8
  %v78 = mul i64 %v77, %v70
  %v79 = load i64, ptr %v42, align 8
  %v80 = call i64 @llvm.smin.i64(i64 %v79, i64 %v78)
  %v65 = mul i64 %v77, %v69
  %v81 = sub i64 %v80, %v65
  %v61 = call i64 @llvm.smax.i64(i64 %v81, i64 0)
  br label %v59
v68:
  %v62 = add nsw i64 %v60, -1
  %v66 = add i64 %v64, 1
  %v82 = load i64, ptr %v43, align 8
  %v83 = load i64, ptr %v44, align 8
  %v84 = inttoptr i64 %v83 to ptr
  %v85 = load i64, ptr %v45, align 8
  %v86 = mul i64 %v85, %v64
  %v87 = getelementptr i8, ptr %v84, i64 %v86
  %v88 = load i64, ptr %v46, align 8
  %v89 = getelementptr i8, ptr %v76, i64 %v88
  %v90 = load i64, ptr %v47, align 8
  %v91 = getelementptr i8, ptr %v76, i64 %v90
  %v92 = load i64, ptr %v48, align 8
  %v93 = inttoptr i64 %v92 to ptr
  %v94 = load i64, ptr %v49, align 8
  %v95 = mul i64 %v94, %v64
  %v96 = getelementptr i8, ptr %v93, i64 %v95
  %v97 = getelementptr float, ptr %v87, i64 %v82
  %v98 = mul i64 %v82, %v82
  %v99 = icmp slt i64 %v98, 1
  br i1 %v99, label %v63, label %v100
v100:
  %v101 = phi i64 [ %v102, %v100 ], [ 0, %v68 ]
  %v102 = add nuw nsw i64 %v101, 1
  %v103 = getelementptr float, ptr %v96, i64 %v101
  %v104 = load float, ptr %v103, align 4
  %v105 = getelementptr float, ptr %v97, i64 %v101
  store float %v104, ptr %v105, align 4
  %v106 = icmp eq i64 %v98, %v102
  br i1 %v106, label %v63, label %v100
v63:
  %v107 = load i64, ptr %v50, align 8
  %v108 = inttoptr i64 %v107 to ptr
  call void %v108(ptr %v51, ptr %v52, ptr %v43, ptr %v97, ptr %v43, ptr %v87, ptr %v89, ptr %v53, ptr %v91, ptr %v54, ptr %v4)
  %v109 = load i32, ptr %v4, align 8
  %v110 = icmp eq i32 %v109, 0
  br i1 %v110, label %v59, label %v38
v38:
  %v111 = phi i32 [ 5, %v63 ], [ 0, %v12 ], [ 0, %v56 ]
  %v112 = load i64, ptr %v6, align 8
  %v113 = inttoptr i64 %v112 to ptr
  %v114 = getelementptr i8, ptr %v113, i64 152
  %v115 = load i64, ptr %v114, align 8
  %v116 = icmp eq i64 %v115, 0
  br i1 %v116, label %v117, label %v118
v118:
  %v119 = getelementptr i8, ptr %v113, i64 128
  %v120 = load i64, ptr %v119, align 8
  %v121 = inttoptr i64 %v120 to ptr
  call void %v121(ptr %v113)
  %v122 = getelementptr i8, ptr %v113, i64 176
  %v123 = load i64, ptr %v122, align 8
  %v124 = icmp sgt i64 %v123, 0
  br i1 %v124, label %v125, label %v126
v125:
  %v127 = add nsw i64 %v123, -1
  store i64 %v127, ptr %v122, align 8
  %v128 = icmp eq i64 %v127, 0
  br i1 %v128, label %v129, label %v126
v129:
  %v130 = getelementptr i8, ptr %v113, i64 144
  %v131 = load i64, ptr %v130, align 8
  %v132 = inttoptr i64 %v131 to ptr
  %v133 = call i32 %v132()
  %v134 = getelementptr i8, ptr %v113, i64 160
  %v135 = load i64, ptr %v134, align 8
  %v136 = sext i32 %v133 to i64
  %v137 = icmp eq i64 %v135, %v136
  br i1 %v137, label %v138, label %v126
v138:
  %v139 = load i64, ptr %v114, align 8
  %v140 = getelementptr i8, ptr %v113, i64 168
  %v141 = inttoptr i64 %v139 to ptr
  call void %v141(ptr %v140)
  br label %v126
v126:
  %v142 = getelementptr i8, ptr %v113, i64 136
  %v143 = load i64, ptr %v142, align 8
  %v144 = inttoptr i64 %v143 to ptr
  call void %v144(ptr %v113)
  br label %v117
v117:
  ret i32 %v111
}

define i32 @svd_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 24
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v8, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = getelementptr i8, ptr %v8, i64 128
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  call void %v16(ptr %v8)
  %v17 = getelementptr i8, ptr %v8, i64 176
  %v18 = load i64, ptr %v17, align 8
  %v19 = icmp eq i64 %v18, 0
  br i1 %v19, label %v20, label %v21
v20:
  %v22 = getelementptr i8, ptr %v8, i64 144
  %v23 = load i64, ptr %v22, align 8
  %v24 = inttoptr i64 %v23 to ptr
  %v25 = call i32 %v24()
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i8, ptr %v8, i64 168
  store i64 %v26, ptr %v27, align 8
  %v28 = load i64, ptr %v9, align 8
  %v29 = getelementptr i8, ptr %v8, i64 160
  %v30 = inttoptr i64 %v28 to ptr
  call void %v30(ptr %v29)
  br label %v21
v21:
  %v31 = load i64, ptr %v17, align 8
  %v32 = add i64 %v31, 1
  store i64 %v32, ptr %v17, align 8
  %v33 = getelementptr i8, ptr %v8, i64 136
  %v34 = load i64, ptr %v33, align 8
  %v35 = inttoptr i64 %v34 to ptr
  call void %v35(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v36 = sub i64 %v2, %v1
  %v37 = icmp slt i64 %v36, 1
  br i1 %v37, label %v38, label %v39
v39:
  %v40 = getelementptr i8, ptr %v5, i64 32
  %v41 = getelementptr i8, ptr %v5, i64 16
  %v42 = getelementptr i8, ptr %v5, i64 8
  %v43 = getelementptr i8, ptr %v5, i64 40
  %v44 = getelementptr i8, ptr %v5, i64 48
  %v45 = getelementptr i8, ptr %v5, i64 128
  %v46 = getelementptr i8, ptr %v5, i64 72
  %v47 = getelementptr i8, ptr %v5, i64 80
  %v48 = getelementptr i8, ptr %v5, i64 56
  %v49 = getelementptr i8, ptr %v5, i64 64
  %v50 = getelementptr i8, ptr %v5, i64 136
  %v51 = getelementptr i8, ptr %v5, i64 144
  %v52 = getelementptr i8, ptr %v5, i64 96
  %v53 = getelementptr i8, ptr %v5, i64 112
  %v54 = getelementptr i8, ptr %v5, i64 152
  %v55 = getelementptr i8, ptr %v5, i64 88
  %v56 = getelementptr i8, ptr %v5, i64 104
  %v57 = getelementptr i8, ptr %v5, i64 120
  br label %v58
v59:
  %v60 = icmp sgt i64 %v61, 1
  br i1 %v60, label %v58, label %v38
v62:
  %v63 = phi i64 [ %v64, %v58 ], [ %v65, %v66 ]
  %v67 = phi i64 [ %v68, %v58 ], [ %v69, %v66 ]
  %v70 = icmp sgt i64 %v63, 0
  br i1 %v70, label %v71, label %v59
v58:
  %v72 = phi i64 [ %v1, %v39 ], [ %v73, %v59 ]
  %v61 = phi i64 [ %v36, %v39 ], [ %v74, %v59 ]
  %v74 = add nsw i64 %v61, -1
  %v73 = add i64 %v72, 1
  %v75 = load i64, ptr %v40, align 8
  %v76 = inttoptr i64 %v75 to ptr
  %v77 = load i64, ptr %v41, align 8
  %v78 = mul i64 %v77, %v72
  %v79 = getelementptr i8, ptr %v76, i64 %v78
  %v80 = load i64, ptr %v5, align 8
  %v81 = mul i64 %v80, %v73
  %v82 = load i64, ptr %v42, align 8
  %v83 = call i64 @llvm.smin.i64(i64 %v82, i64 %v81)
  %v68 = mul i64 %v80, %v72
  %v84 = sub i64 %v83, %v68
  %v64 = call i64 @llvm.smax.i64(i64 %v84, i64 0)
  br label %v62
v71:
  %v65 = add nsw i64 %v63, -1
  %v69 = add i64 %v67, 1
  %v85 = load i64, ptr %v43, align 8
  %v86 = inttoptr i64 %v85 to ptr
  %v87 = load i64, ptr %v44, align 8
  %v88 = mul i64 %v87, %v67
  %v89 = getelementptr i8, ptr %v86, i64 %v88
  %v90 = load i64, ptr %v45, align 8
  %v91 = getelementptr i8, ptr %v79, i64 %v90
  %v92 = load i64, ptr %v46, align 8
  %v93 = load i64, ptr %v47, align 8
  %v94 = mul i64 %v93, %v92
  %v95 = icmp slt i64 %v94, 1
  br i1 %v95, label %v66, label %v96
v96:
  %v97 = phi i64 [ %v98, %v96 ], [ 0, %v71 ]
  %v98 = add nuw nsw i64 %v97, 1
  %v99 = getelementptr float, ptr %v89, i64 %v97
  %v100 = load float, ptr %v99, align 4
  %v101 = getelementptr float, ptr %v91, i64 %v97
  store float %v100, ptr %v101, align 4
  %v102 = icmp eq i64 %v94, %v98
  br i1 %v102, label %v66, label %v96
v66:
  %v103 = load i64, ptr %v48, align 8
  %v104 = inttoptr i64 %v103 to ptr
  %v105 = load i64, ptr %v49, align 8
  %v106 = mul i64 %v105, %v67
  %v107 = getelementptr i8, ptr %v104, i64 %v106
  %v108 = load i64, ptr %v50, align 8
  %v109 = getelementptr i8, ptr %v79, i64 %v108
  %v110 = load i64, ptr %v51, align 8
  %v111 = getelementptr i8, ptr %v79, i64 %v110
  %v112 = load i64, ptr %v52, align 8
  %v113 = getelementptr float, ptr %v107, i64 %v112
  %v114 = load i64, ptr %v53, align 8
  %v115 = getelementptr float, ptr %v113, i64 %v114
  %v116 = load i64, ptr %v54, align 8
  %v117 = inttoptr i64 %v116 to ptr
  call void %v117(ptr %v55, ptr %v47, ptr %v46, ptr %v91, ptr %v47, ptr %v107, ptr %v115, ptr %v47, ptr %v113, ptr %v56, ptr %v109, ptr %v57, ptr %v111, ptr %v4)
  %v118 = load i32, ptr %v4, align 8
  %v119 = icmp eq i32 %v118, 0
  br i1 %v119, label %v62, label %v38
v38:
  %v120 = phi i32 [ 5, %v66 ], [ 0, %v12 ], [ 0, %v59 ]
  %v121 = load i64, ptr %v6, align 8
  %v122 = inttoptr i64 %v121 to ptr
  %v123 = getelementptr i8, ptr %v122, i64 152
  %v124 = load i64, ptr %v123, align 8
  %v125 = icmp eq i64 %v124, 0
  br i1 %v125, label %v126, label %v127
v127:
  %v128 = getelementptr i8, ptr %v122, i64 128
  %v129 = load i64, ptr %v128, align 8
  %v130 = inttoptr i64 %v129 to ptr
  call void %v130(ptr %v122)
  %v131 = getelementptr i8, ptr %v122, i64 176
  %v132 = load i64, ptr %v131, align 8
  %v133 = icmp sgt i64 %v132, 0
  br i1 %v133, label %v134, label %v135
v134:
  %v136 = add nsw i64 %v132, -1
  store i64 %v136, ptr %v131, align 8
  %v137 = icmp eq i64 %v136, 0
  br i1 %v137, label %v138, label %v135
v138:
  %v139 = getelementptr i8, ptr %v122, i64 144
  %v140 = load i64, ptr %v139, align 8
  %v141 = inttoptr i64 %v140 to ptr
  %v142 = call i32 %v141()
  %v143 = getelementptr i8, ptr %v122, i64 160
  %v144 = load i64, ptr %v143, align 8
  %v145 = sext i32 %v142 to i64
  %v146 = icmp eq i64 %v144, %v145
  br i1 %v146, label %v147, label %v135
v147:
  %v148 = load i64, ptr %v123, align 8
  %v149 = getelementptr i8, ptr %v122, i64 168
  %v150 = inttoptr i64 %v148 to ptr
  call void %v150(ptr %v149)
  br label %v135
v135:
  %v151 = getelementptr i8, ptr %v122, i64 136
  %v152 = load i64, ptr %v151, align 8
  %v153 = inttoptr i64 %v152 to ptr
  call void %v153(ptr %v122)
  br label %v126
v126:
  ret i32 %v120
}

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)
