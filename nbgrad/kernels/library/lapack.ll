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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 88
  %v49 = getelementptr i8, ptr %v5, i64 40
  %v50 = getelementptr i8, ptr %v5, i64 48
  %v51 = getelementptr i8, ptr %v5, i64 56
  %v52 = getelementptr i8, ptr %v5, i64 64
  %v53 = getelementptr i8, ptr %v5, i64 72
  %v54 = getelementptr i8, ptr %v5, i64 104
  %v55 = getelementptr i8, ptr %v5, i64 112
  %v56 = getelementptr i8, ptr %v5, i64 96
  %v57 = getelementptr i8, ptr %v5, i64 80
  br label %v58
v59:
  %v60 = icmp sgt i64 %v61, 1
  br i1 %v60, label %v58, label %v43
v62:
  %v63 = phi i64 [ %v64, %v58 ], [ %v65, %v66 ]
  %v67 = phi i64 [ %v68, %v58 ], [ %v69, %v66 ]
  %v70 = icmp sgt i64 %v63, 0
  br i1 %v70, label %v71, label %v59
v58:
  %v72 = phi i64 [ %v1, %v44 ], [ %v73, %v59 ]
  %v61 = phi i64 [ %v41, %v44 ], [ %v74, %v59 ]
  %v74 = add nsw i64 %v61, -1
  %v73 = add i64 %v72, 1
  %v75 = load i64, ptr %v45, align 8
  %v76 = inttoptr i64 %v75 to ptr
  %v77 = load i64, ptr %v46, align 8
  %v78 = mul i64 %v77, %v72
  %v79 = getelementptr i8, ptr %v76, i64 %v78
  %v80 = load i64, ptr %v5, align 8
  %v81 = mul i64 %v80, %v73
  %v82 = load i64, ptr %v47, align 8
  %v83 = call i64 @llvm.smin.i64(i64 %v82, i64 %v81)
  %v68 = mul i64 %v80, %v72
  %v84 = sub i64 %v83, %v68
  %v64 = call i64 @llvm.smax.i64(i64 %v84, i64 0)
  br label %v62
v71:
  %v65 = add nsw i64 %v63, -1
  %v69 = add i64 %v67, 1
  %v85 = load i64, ptr %v48, align 8
  %v86 = getelementptr i8, ptr %v79, i64 %v85
  %v87 = load i64, ptr %v49, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v50, align 8
  %v90 = mul i64 %v89, %v67
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = load i64, ptr %v51, align 8
  %v93 = inttoptr i64 %v92 to ptr
  %v94 = load i64, ptr %v52, align 8
  %v95 = mul i64 %v94, %v67
  %v96 = getelementptr i8, ptr %v93, i64 %v95
  %v97 = load i64, ptr %v53, align 8
  %v98 = mul i64 %v97, %v97
  %v99 = icmp slt i64 %v98, 1
  br i1 %v99, label %v100, label %v101
v101:
  %v102 = phi i64 [ %v103, %v101 ], [ 0, %v71 ]
  %v103 = add nuw nsw i64 %v102, 1
  %v104 = getelementptr float, ptr %v91, i64 %v102
  %v105 = load float, ptr %v104, align 4
  %v106 = getelementptr float, ptr %v96, i64 %v102
  store float %v105, ptr %v106, align 4
  %v107 = icmp eq i64 %v98, %v103
  br i1 %v107, label %v100, label %v101
v100:
  %v108 = load i64, ptr %v54, align 8
  %v109 = inttoptr i64 %v108 to ptr
  call void %v109(ptr %v53, ptr %v53, ptr %v96, ptr %v53, ptr %v86, ptr %v4)
  %v110 = load i32, ptr %v4, align 8
  %v111 = icmp eq i32 %v110, 0
  br i1 %v111, label %v112, label %v66
v112:
  %v113 = load i64, ptr %v55, align 8
  %v114 = load i64, ptr %v56, align 8
  %v115 = getelementptr i8, ptr %v79, i64 %v114
  %v116 = inttoptr i64 %v113 to ptr
  call void %v116(ptr %v53, ptr %v96, ptr %v53, ptr %v86, ptr %v115, ptr %v57, ptr %v4)
  br label %v66
v66:
  %v117 = phi i32 [ 0, %v112 ], [ 3, %v100 ]
  br i1 %v111, label %v62, label %v43
v43:
  %v118 = phi i32 [ 0, %v12 ], [ %v117, %v66 ], [ 0, %v59 ]
  %v119 = load i64, ptr %v6, align 8
  %v120 = inttoptr i64 %v119 to ptr
  %v121 = getelementptr i8, ptr %v120, i64 152
  %v122 = load i64, ptr %v121, align 8
  %v123 = icmp eq i64 %v122, 0
  br i1 %v123, label %v124, label %v125
v125:
  %v126 = getelementptr i8, ptr %v120, i64 128
  %v127 = load i64, ptr %v126, align 8
  %v128 = inttoptr i64 %v127 to ptr
  call void %v128(ptr %v120)
  %v129 = getelementptr i8, ptr %v120, i64 184
  %v130 = load i64, ptr %v129, align 8
  %v131 = icmp sgt i64 %v130, 0
  br i1 %v131, label %v132, label %v133
v132:
  %v134 = add nsw i64 %v130, -1
  store i64 %v134, ptr %v129, align 8
  %v135 = icmp eq i64 %v134, 0
  br i1 %v135, label %v136, label %v133
v136:
  %v137 = getelementptr i8, ptr %v120, i64 144
  %v138 = load i64, ptr %v137, align 8
  %v139 = inttoptr i64 %v138 to ptr
  %v140 = call i32 %v139()
  %v141 = sext i32 %v140 to i64
  %v142 = getelementptr i8, ptr %v120, i64 176
  %v143 = load i64, ptr %v142, align 8
  %v144 = icmp eq i64 %v143, %v141
  br i1 %v144, label %v145, label %v133
v145:
  %v146 = load i64, ptr %v121, align 8
  %v147 = getelementptr i8, ptr %v120, i64 168
  %v148 = inttoptr i64 %v146 to ptr
  call void %v148(ptr %v147)
  br label %v133
v133:
  %v149 = getelementptr i8, ptr %v120, i64 136
  %v150 = load i64, ptr %v149, align 8
  %v151 = inttoptr i64 %v150 to ptr
  call void %v151(ptr %v120)
  br label %v124
v124:
  ret i32 %v118
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 40
  %v49 = getelementptr i8, ptr %v5, i64 48
  %v50 = getelementptr i8, ptr %v5, i64 112
  %v51 = getelementptr i8, ptr %v5, i64 88
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 72
  %v55 = getelementptr i8, ptr %v5, i64 80
  %v56 = getelementptr i8, ptr %v5, i64 96
  %v57 = getelementptr i8, ptr %v5, i64 120
  %v58 = getelementptr i8, ptr %v5, i64 128
  %v59 = getelementptr i8, ptr %v5, i64 136
  %v60 = getelementptr i8, ptr %v5, i64 104
  br label %v61
v62:
  %v63 = icmp sgt i64 %v64, 1
  br i1 %v63, label %v61, label %v43
v65:
  %v66 = phi i64 [ %v67, %v61 ], [ %v68, %v69 ]
  %v70 = phi i64 [ %v71, %v61 ], [ %v72, %v69 ]
  %v73 = icmp sgt i64 %v66, 0
  br i1 %v73, label %v74, label %v62
v61:
  %v75 = phi i64 [ %v1, %v44 ], [ %v76, %v62 ]
  %v64 = phi i64 [ %v41, %v44 ], [ %v77, %v62 ]
  %v77 = add nsw i64 %v64, -1
  %v76 = add i64 %v75, 1
  %v78 = load i64, ptr %v45, align 8
  %v79 = inttoptr i64 %v78 to ptr
  %v80 = load i64, ptr %v46, align 8
  %v81 = mul i64 %v80, %v75
  %v82 = getelementptr i8, ptr %v79, i64 %v81
  %v83 = load i64, ptr %v5, align 8
  %v84 = mul i64 %v83, %v76
  %v85 = load i64, ptr %v47, align 8
  %v86 = call i64 @llvm.smin.i64(i64 %v85, i64 %v84)
  %v71 = mul i64 %v83, %v75
  %v87 = sub i64 %v86, %v71
  %v67 = call i64 @llvm.smax.i64(i64 %v87, i64 0)
  br label %v65
v74:
  %v68 = add nsw i64 %v66, -1
  %v72 = add i64 %v70, 1
  %v88 = load i64, ptr %v48, align 8
  %v89 = inttoptr i64 %v88 to ptr
  %v90 = load i64, ptr %v49, align 8
  %v91 = mul i64 %v90, %v70
  %v92 = getelementptr i8, ptr %v89, i64 %v91
  %v93 = load i64, ptr %v50, align 8
  %v94 = getelementptr i8, ptr %v82, i64 %v93
  %v95 = load i64, ptr %v51, align 8
  %v96 = mul i64 %v95, %v95
  %v97 = icmp slt i64 %v96, 1
  br i1 %v97, label %v98, label %v99
v99:
  %v100 = phi i64 [ %v101, %v99 ], [ 0, %v74 ]
  %v101 = add nuw nsw i64 %v100, 1
  %v102 = getelementptr float, ptr %v92, i64 %v100
  %v103 = load float, ptr %v102, align 4
  %v104 = getelementptr float, ptr %v94, i64 %v100
  store float %v103, ptr %v104, align 4
  %v105 = icmp eq i64 %v96, %v101
  br i1 %v105, label %v98, label %v99
v98:
  %v106 = load i64, ptr %v52, align 8
  %v107 = inttoptr i64 %v106 to ptr
  %v108 = load i64, ptr %v53, align 8
  %v109 = mul i64 %v108, %v70
  %v110 = getelementptr i8, ptr %v107, i64 %v109
  %v111 = load i64, ptr %v54, align 8
  %v112 = inttoptr i64 %v111 to ptr
  %v113 = load i64, ptr %v55, align 8
  %v114 = mul i64 %v113, %v70
  %v115 = getelementptr i8, ptr %v112, i64 %v114
  %v116 = load i64, ptr %v51, align 8
  %v117 = load i64, ptr %v56, align 8
  %v118 = mul i64 %v117, %v116
  %v119 = icmp slt i64 %v118, 1
  br i1 %v119, label %v120, label %v121
v121:
  %v122 = phi i64 [ %v123, %v121 ], [ 0, %v98 ]
  %v123 = add nuw nsw i64 %v122, 1
  %v124 = getelementptr float, ptr %v110, i64 %v122
  %v125 = load float, ptr %v124, align 4
  %v126 = getelementptr float, ptr %v115, i64 %v122
  store float %v125, ptr %v126, align 4
  %v127 = icmp eq i64 %v118, %v123
  br i1 %v127, label %v120, label %v121
v120:
  %v128 = load i64, ptr %v57, align 8
  %v129 = getelementptr i8, ptr %v82, i64 %v128
  %v130 = load i64, ptr %v58, align 8
  %v131 = inttoptr i64 %v130 to ptr
  call void %v131(ptr %v51, ptr %v51, ptr %v94, ptr %v51, ptr %v129, ptr %v4)
  %v132 = load i32, ptr %v4, align 8
  %v133 = icmp eq i32 %v132, 0
  br i1 %v133, label %v134, label %v69
v134:
  %v135 = load i64, ptr %v59, align 8
  %v136 = inttoptr i64 %v135 to ptr
  call void %v136(ptr %v60, ptr %v51, ptr %v56, ptr %v94, ptr %v51, ptr %v129, ptr %v115, ptr %v51, ptr %v4)
  br label %v69
v69:
  %v137 = phi i32 [ 0, %v134 ], [ 3, %v120 ]
  br i1 %v133, label %v65, label %v43
v43:
  %v138 = phi i32 [ 0, %v12 ], [ %v137, %v69 ], [ 0, %v62 ]
  %v139 = load i64, ptr %v6, align 8
  %v140 = inttoptr i64 %v139 to ptr
  %v141 = getelementptr i8, ptr %v140, i64 152
  %v142 = load i64, ptr %v141, align 8
  %v143 = icmp eq i64 %v142, 0
  br i1 %v143, label %v144, label %v145
v145:
  %v146 = getelementptr i8, ptr %v140, i64 128
  %v147 = load i64, ptr %v146, align 8
  %v148 = inttoptr i64 %v147 to ptr
  call void %v148(ptr %v140)
  %v149 = getelementptr i8, ptr %v140, i64 184
  %v150 = load i64, ptr %v149, align 8
  %v151 = icmp sgt i64 %v150, 0
  br i1 %v151, label %v152, label %v153
v152:
  %v154 = add nsw i64 %v150, -1
  store i64 %v154, ptr %v149, align 8
  %v155 = icmp eq i64 %v154, 0
  br i1 %v155, label %v156, label %v153
v156:
  %v157 = getelementptr i8, ptr %v140, i64 144
  %v158 = load i64, ptr %v157, align 8
  %v159 = inttoptr i64 %v158 to ptr
  %v160 = call i32 %v159()
  %v161 = sext i32 %v160 to i64
  %v162 = getelementptr i8, ptr %v140, i64 176
  %v163 = load i64, ptr %v162, align 8
  %v164 = icmp eq i64 %v163, %v161
  br i1 %v164, label %v165, label %v153
v165:
  %v166 = load i64, ptr %v141, align 8
  %v167 = getelementptr i8, ptr %v140, i64 168
  %v168 = inttoptr i64 %v166 to ptr
  call void %v168(ptr %v167)
  br label %v153
v153:
  %v169 = getelementptr i8, ptr %v140, i64 136
  %v170 = load i64, ptr %v169, align 8
  %v171 = inttoptr i64 %v170 to ptr
  call void %v171(ptr %v140)
  br label %v144
v144:
  ret i32 %v138
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
  %v16 = getelementptr i8, ptr %v7, i64 184
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
  %v30 = load i64, ptr %v21, align 8
  %v31 = inttoptr i64 %v30 to ptr
  %v32 = call i32 %v31()
  %v33 = sext i32 %v32 to i64
  %v34 = getelementptr i8, ptr %v7, i64 176
  store i64 %v33, ptr %v34, align 8
  br label %v20
v20:
  %v35 = load i64, ptr %v16, align 8
  %v36 = add i64 %v35, 1
  store i64 %v36, ptr %v16, align 8
  %v37 = getelementptr i8, ptr %v7, i64 136
  %v38 = load i64, ptr %v37, align 8
  %v39 = inttoptr i64 %v38 to ptr
  call void %v39(ptr %v7)
  br label %v11
v11:
  %v40 = sub i64 %v2, %v1
  %v41 = icmp slt i64 %v40, 1
  br i1 %v41, label %v42, label %v43
v43:
  %v44 = getelementptr i8, ptr %v4, i64 8
  %v45 = getelementptr i8, ptr %v4, i64 56
  %v46 = getelementptr i8, ptr %v4, i64 64
  %v47 = getelementptr i8, ptr %v4, i64 72
  %v48 = getelementptr i8, ptr %v4, i64 80
  %v49 = getelementptr i8, ptr %v4, i64 88
  %v50 = getelementptr i8, ptr %v4, i64 96
  %v51 = getelementptr i8, ptr %v4, i64 144
  %v52 = getelementptr i8, ptr %v4, i64 40
  %v53 = getelementptr i8, ptr %v4, i64 48
  %v54 = getelementptr i8, ptr %v4, i64 136
  %v55 = getelementptr i8, ptr %v4, i64 128
  %v56 = getelementptr i8, ptr %v4, i64 120
  %v57 = getelementptr i8, ptr %v4, i64 112
  %v58 = getelementptr i8, ptr %v4, i64 104
  br label %v59
v60:
  %v61 = icmp sgt i64 %v62, 1
  br i1 %v61, label %v59, label %v42
v59:
  %v63 = phi i64 [ %v1, %v43 ], [ %v64, %v60 ]
  %v62 = phi i64 [ %v40, %v43 ], [ %v65, %v60 ]
  %v65 = add nsw i64 %v62, -1
  %v64 = add i64 %v63, 1
  %v66 = load i64, ptr %v4, align 8
  %v67 = mul i64 %v66, %v64
  %v68 = load i64, ptr %v44, align 8
  %v69 = call i64 @llvm.smin.i64(i64 %v68, i64 %v67)
  %v70 = mul i64 %v66, %v63
  %v71 = sub i64 %v69, %v70
  %v72 = icmp slt i64 %v71, 1
  br i1 %v72, label %v60, label %v73
v73:
  %v74 = phi i64 [ %v75, %v76 ], [ %v70, %v59 ]
  %v77 = phi i64 [ %v78, %v76 ], [ %v71, %v59 ]
  %v78 = add nsw i64 %v77, -1
  %v75 = add i64 %v74, 1
  %v79 = load i64, ptr %v45, align 8
  %v80 = inttoptr i64 %v79 to ptr
  %v81 = load i64, ptr %v46, align 8
  %v82 = mul i64 %v81, %v74
  %v83 = getelementptr i8, ptr %v80, i64 %v82
  %v84 = load i64, ptr %v47, align 8
  %v85 = inttoptr i64 %v84 to ptr
  %v86 = load i64, ptr %v48, align 8
  %v87 = mul i64 %v86, %v74
  %v88 = getelementptr i8, ptr %v85, i64 %v87
  %v89 = load i64, ptr %v49, align 8
  %v90 = load i64, ptr %v50, align 8
  %v91 = mul i64 %v90, %v89
  %v92 = icmp slt i64 %v91, 1
  br i1 %v92, label %v76, label %v93
v93:
  %v94 = phi i64 [ %v95, %v93 ], [ 0, %v73 ]
  %v95 = add nuw nsw i64 %v94, 1
  %v96 = getelementptr float, ptr %v83, i64 %v94
  %v97 = load float, ptr %v96, align 4
  %v98 = getelementptr float, ptr %v88, i64 %v94
  store float %v97, ptr %v98, align 4
  %v99 = icmp eq i64 %v91, %v95
  br i1 %v99, label %v76, label %v93
v76:
  %v100 = load i64, ptr %v51, align 8
  %v101 = load i64, ptr %v52, align 8
  %v102 = inttoptr i64 %v101 to ptr
  %v103 = load i64, ptr %v53, align 8
  %v104 = mul i64 %v103, %v74
  %v105 = getelementptr i8, ptr %v102, i64 %v104
  %v106 = inttoptr i64 %v100 to ptr
  call void %v106(ptr %v58, ptr %v57, ptr %v56, ptr %v55, ptr %v49, ptr %v50, ptr %v54, ptr %v105, ptr %v49, ptr %v88, ptr %v49)
  %v107 = icmp sgt i64 %v77, 1
  br i1 %v107, label %v73, label %v60
v42:
  %v108 = load i64, ptr %v5, align 8
  %v109 = inttoptr i64 %v108 to ptr
  %v110 = getelementptr i8, ptr %v109, i64 152
  %v111 = load i64, ptr %v110, align 8
  %v112 = icmp eq i64 %v111, 0
  br i1 %v112, label %v113, label %v114
v114:
  %v115 = getelementptr i8, ptr %v109, i64 128
  %v116 = load i64, ptr %v115, align 8
  %v117 = inttoptr i64 %v116 to ptr
  call void %v117(ptr %v109)
  %v118 = getelementptr i8, ptr %v109, i64 184
  %v119 = load i64, ptr %v118, align 8
  %v120 = icmp sgt i64 %v119, 0
  br i1 %v120, label %v121, label %v122
v121:
  %v123 = add nsw i64 %v119, -1
  store i64 %v123, ptr %v118, align 8
  %v124 = icmp eq i64 %v123, 0
  br i1 %v124, label %v125, label %v122
v125:
  %v126 = getelementptr i8, ptr %v109, i64 144
  %v127 = load i64, ptr %v126, align 8
  %v128 = inttoptr i64 %v127 to ptr
  %v129 = call i32 %v128()
  %v130 = sext i32 %v129 to i64
  %v131 = getelementptr i8, ptr %v109, i64 176
  %v132 = load i64, ptr %v131, align 8
  %v133 = icmp eq i64 %v132, %v130
  br i1 %v133, label %v134, label %v122
v134:
  %v135 = load i64, ptr %v110, align 8
  %v136 = getelementptr i8, ptr %v109, i64 168
  %v137 = inttoptr i64 %v135 to ptr
  call void %v137(ptr %v136)
  br label %v122
v122:
  %v138 = getelementptr i8, ptr %v109, i64 136
  %v139 = load i64, ptr %v138, align 8
  %v140 = inttoptr i64 %v139 to ptr
  call void %v140(ptr %v109)
  br label %v113
v113:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 8
  %v46 = getelementptr i8, ptr %v5, i64 72
  %v47 = getelementptr i8, ptr %v5, i64 40
  %v48 = getelementptr i8, ptr %v5, i64 48
  %v49 = getelementptr i8, ptr %v5, i64 56
  %v50 = getelementptr i8, ptr %v5, i64 64
  %v51 = getelementptr i8, ptr %v5, i64 88
  %v52 = getelementptr i8, ptr %v5, i64 80
  br label %v53
v54:
  %v55 = icmp sgt i64 %v56, 1
  br i1 %v55, label %v53, label %v43
v57:
  %v58 = icmp sgt i64 %v59, 1
  br i1 %v58, label %v60, label %v54
v53:
  %v61 = phi i64 [ %v1, %v44 ], [ %v62, %v54 ]
  %v56 = phi i64 [ %v41, %v44 ], [ %v63, %v54 ]
  %v63 = add nsw i64 %v56, -1
  %v62 = add i64 %v61, 1
  %v64 = load i64, ptr %v5, align 8
  %v65 = mul i64 %v64, %v62
  %v66 = load i64, ptr %v45, align 8
  %v67 = call i64 @llvm.smin.i64(i64 %v66, i64 %v65)
  %v68 = mul i64 %v64, %v61
  %v69 = sub i64 %v67, %v68
  %v70 = icmp slt i64 %v69, 1
  br i1 %v70, label %v54, label %v60
v60:
  %v71 = phi i64 [ %v72, %v57 ], [ %v68, %v53 ]
  %v59 = phi i64 [ %v73, %v57 ], [ %v69, %v53 ]
  %v73 = add nsw i64 %v59, -1
  %v72 = add i64 %v71, 1
  %v74 = load i64, ptr %v46, align 8
  %v75 = load i64, ptr %v47, align 8
  %v76 = inttoptr i64 %v75 to ptr
  %v77 = load i64, ptr %v48, align 8
  %v78 = mul i64 %v77, %v71
  %v79 = getelementptr i8, ptr %v76, i64 %v78
  %v80 = load i64, ptr %v49, align 8
  %v81 = inttoptr i64 %v80 to ptr
  %v82 = load i64, ptr %v50, align 8
  %v83 = mul i64 %v82, %v71
  %v84 = getelementptr i8, ptr %v81, i64 %v83
  %v85 = mul i64 %v74, %v74
  %v86 = icmp slt i64 %v85, 1
  br i1 %v86, label %v87, label %v88
v88:
  %v89 = phi i64 [ %v90, %v88 ], [ 0, %v60 ]
  %v90 = add nuw nsw i64 %v89, 1
  %v91 = getelementptr float, ptr %v79, i64 %v89
  %v92 = load float, ptr %v91, align 4
  %v93 = getelementptr float, ptr %v84, i64 %v89
  store float %v92, ptr %v93, align 4
  %v94 = icmp eq i64 %v85, %v90
  br i1 %v94, label %v87, label %v88
v87:
  %v95 = load i64, ptr %v51, align 8
  %v96 = inttoptr i64 %v95 to ptr
  call void %v96(ptr %v52, ptr %v46, ptr %v84, ptr %v46, ptr %v4)
  %v97 = load i32, ptr %v4, align 8
  %v98 = icmp eq i32 %v97, 0
  br i1 %v98, label %v99, label %v43
v99:
  %v100 = call i64 @llvm.smax.i64(i64 %v74, i64 0)
  %v101 = add i64 %v74, 1
  %v102 = add i64 %v74, -1
  br label %v103
v103:
  %v104 = phi i64 [ 0, %v99 ], [ %v105, %v106 ]
  %v107 = icmp eq i64 %v104, %v100
  br i1 %v107, label %v108, label %v109
v108:
  %v110 = icmp slt i64 %v74, 1
  br i1 %v110, label %v57, label %v111
v106:
  %v105 = add nuw i64 %v104, 1
  %v112 = fcmp oeq float %v113, 0x7FF0000000000000
  %v114 = icmp slt i64 %v104, %v102
  %v115 = and i1 %v112, %v114
  br i1 %v115, label %v43, label %v103
v116:
  %v117 = icmp eq i64 %v74, %v118
  br i1 %v117, label %v57, label %v111
v109:
  %v119 = mul i64 %v104, %v101
  %v120 = getelementptr float, ptr %v84, i64 %v119
  %v113 = load float, ptr %v120, align 4
  %v121 = fcmp uno float %v113, 0.000000e+00
  br i1 %v121, label %v43, label %v106
v111:
  %v122 = phi i64 [ %v118, %v116 ], [ 0, %v108 ]
  %v118 = add nuw nsw i64 %v122, 1
  %v123 = icmp sgt i64 %v74, %v118
  br i1 %v123, label %v124, label %v116
v124:
  %v125 = mul i64 %v122, %v74
  %v126 = getelementptr float, ptr %v84, i64 %v125
  br label %v127
v127:
  %v128 = phi i64 [ %v118, %v124 ], [ %v129, %v127 ]
  %v129 = add nuw i64 %v128, 1
  %v130 = getelementptr float, ptr %v126, i64 %v128
  store float 0.000000e+00, ptr %v130, align 4
  %v131 = icmp eq i64 %v129, %v74
  br i1 %v131, label %v116, label %v127
v43:
  %v132 = phi i32 [ 4, %v87 ], [ 4, %v106 ], [ 0, %v12 ], [ 4, %v109 ], [ 0, %v54 ]
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
  %v143 = getelementptr i8, ptr %v134, i64 184
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
  %v155 = sext i32 %v154 to i64
  %v156 = getelementptr i8, ptr %v134, i64 176
  %v157 = load i64, ptr %v156, align 8
  %v158 = icmp eq i64 %v157, %v155
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
  ret i32 %v132
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 56
  %v50 = getelementptr i8, ptr %v5, i64 64
  %v51 = getelementptr i8, ptr %v5, i64 88
  %v52 = getelementptr i8, ptr %v5, i64 40
  %v53 = getelementptr i8, ptr %v5, i64 48
  %v54 = getelementptr i8, ptr %v5, i64 80
  %v55 = getelementptr i8, ptr %v5, i64 96
  br label %v56
v57:
  %v58 = icmp sgt i64 %v59, 1
  br i1 %v58, label %v56, label %v43
v56:
  %v60 = phi i64 [ %v1, %v44 ], [ %v61, %v57 ]
  %v59 = phi i64 [ %v41, %v44 ], [ %v62, %v57 ]
  %v62 = add nsw i64 %v59, -1
  %v61 = add i64 %v60, 1
  %v63 = load i64, ptr %v45, align 8
  %v64 = inttoptr i64 %v63 to ptr
  %v65 = load i64, ptr %v46, align 8
  %v66 = mul i64 %v65, %v60
  %v67 = getelementptr i8, ptr %v64, i64 %v66
  %v68 = load i64, ptr %v5, align 8
  %v69 = mul i64 %v68, %v61
  %v70 = load i64, ptr %v47, align 8
  %v71 = call i64 @llvm.smin.i64(i64 %v70, i64 %v69)
  %v72 = mul i64 %v68, %v60
  %v73 = sub i64 %v71, %v72
  %v74 = icmp slt i64 %v73, 1
  br i1 %v74, label %v57, label %v75
v75:
  %v76 = phi i64 [ %v77, %v78 ], [ %v72, %v56 ]
  %v79 = phi i64 [ %v80, %v78 ], [ %v73, %v56 ]
  %v80 = add nsw i64 %v79, -1
  %v77 = add i64 %v76, 1
  %v81 = load i64, ptr %v48, align 8
  %v82 = load i64, ptr %v49, align 8
  %v83 = inttoptr i64 %v82 to ptr
  %v84 = load i64, ptr %v50, align 8
  %v85 = mul i64 %v84, %v76
  %v86 = getelementptr i8, ptr %v83, i64 %v85
  %v87 = load i64, ptr %v51, align 8
  %v88 = getelementptr i8, ptr %v67, i64 %v87
  %v89 = load i64, ptr %v52, align 8
  %v90 = inttoptr i64 %v89 to ptr
  %v91 = load i64, ptr %v53, align 8
  %v92 = mul i64 %v91, %v76
  %v93 = getelementptr i8, ptr %v90, i64 %v92
  %v94 = load i64, ptr %v54, align 8
  %v95 = getelementptr i8, ptr %v67, i64 %v94
  %v96 = mul i64 %v81, %v81
  %v97 = icmp slt i64 %v96, 1
  br i1 %v97, label %v98, label %v99
v99:
  %v100 = phi i64 [ %v101, %v99 ], [ 0, %v75 ]
  %v101 = add nuw nsw i64 %v100, 1
  %v102 = getelementptr float, ptr %v93, i64 %v100
  %v103 = load float, ptr %v102, align 4
  %v104 = getelementptr float, ptr %v95, i64 %v100
  store float %v103, ptr %v104, align 4
  %v105 = icmp eq i64 %v96, %v101
  br i1 %v105, label %v98, label %v99
v98:
  %v106 = load i64, ptr %v55, align 8
  %v107 = inttoptr i64 %v106 to ptr
  call void %v107(ptr %v48, ptr %v48, ptr %v95, ptr %v48, ptr %v88, ptr %v4)
  %v108 = icmp slt i64 %v81, 1
  br i1 %v108, label %v109, label %v110
v110:
  %v111 = add nuw i64 %v81, 1
  br label %v112
v109:
  %v113 = icmp slt i64 %v81, 1
  br i1 %v113, label %v78, label %v114
v114:
  %v115 = phi i64 [ %v116, %v114 ], [ 0, %v109 ]
  %v117 = phi i64 [ %v118, %v114 ], [ 0, %v109 ]
  %v118 = add nuw nsw i64 %v117, 1
  %v119 = getelementptr i32, ptr %v88, i64 %v117
  %v120 = load i32, ptr %v119, align 4
  %v121 = sext i32 %v120 to i64
  %v122 = icmp ne i64 %v118, %v121
  %v123 = zext i1 %v122 to i64
  %v116 = xor i64 %v115, %v123
  %v124 = icmp eq i64 %v81, %v118
  br i1 %v124, label %v125, label %v114
v125:
  %v126 = icmp eq i64 %v115, %v123
  br i1 %v126, label %v78, label %v127
v127:
  %v128 = load float, ptr %v86, align 4
  %v129 = fneg float %v128
  store float %v129, ptr %v86, align 4
  br label %v78
v112:
  %v130 = phi i64 [ 0, %v110 ], [ %v131, %v112 ]
  %v131 = add nuw nsw i64 %v130, 1
  %v132 = mul i64 %v130, %v111
  %v133 = getelementptr float, ptr %v95, i64 %v132
  %v134 = load float, ptr %v133, align 4
  %v135 = getelementptr float, ptr %v86, i64 %v130
  store float %v134, ptr %v135, align 4
  %v136 = icmp eq i64 %v81, %v131
  br i1 %v136, label %v109, label %v112
v78:
  %v137 = icmp sgt i64 %v79, 1
  br i1 %v137, label %v75, label %v57
v43:
  %v138 = load i64, ptr %v6, align 8
  %v139 = inttoptr i64 %v138 to ptr
  %v140 = getelementptr i8, ptr %v139, i64 152
  %v141 = load i64, ptr %v140, align 8
  %v142 = icmp eq i64 %v141, 0
  br i1 %v142, label %v143, label %v144
v144:
  %v145 = getelementptr i8, ptr %v139, i64 128
  %v146 = load i64, ptr %v145, align 8
  %v147 = inttoptr i64 %v146 to ptr
  call void %v147(ptr %v139)
  %v148 = getelementptr i8, ptr %v139, i64 184
  %v149 = load i64, ptr %v148, align 8
  %v150 = icmp sgt i64 %v149, 0
  br i1 %v150, label %v151, label %v152
v151:
  %v153 = add nsw i64 %v149, -1
  store i64 %v153, ptr %v148, align 8
  %v154 = icmp eq i64 %v153, 0
  br i1 %v154, label %v155, label %v152
v155:
  %v156 = getelementptr i8, ptr %v139, i64 144
  %v157 = load i64, ptr %v156, align 8
  %v158 = inttoptr i64 %v157 to ptr
  %v159 = call i32 %v158()
  %v160 = sext i32 %v159 to i64
  %v161 = getelementptr i8, ptr %v139, i64 176
  %v162 = load i64, ptr %v161, align 8
  %v163 = icmp eq i64 %v162, %v160
  br i1 %v163, label %v164, label %v152
v164:
  %v165 = load i64, ptr %v140, align 8
  %v166 = getelementptr i8, ptr %v139, i64 168
  %v167 = inttoptr i64 %v165 to ptr
  call void %v167(ptr %v166)
  br label %v152
v152:
  %v168 = getelementptr i8, ptr %v139, i64 136
  %v169 = load i64, ptr %v168, align 8
  %v170 = inttoptr i64 %v169 to ptr
  call void %v170(ptr %v139)
  br label %v143
v143:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 80
  %v50 = getelementptr i8, ptr %v5, i64 96
  %v51 = getelementptr i8, ptr %v5, i64 40
  %v52 = getelementptr i8, ptr %v5, i64 48
  %v53 = getelementptr i8, ptr %v5, i64 56
  %v54 = getelementptr i8, ptr %v5, i64 64
  %v55 = getelementptr i8, ptr %v5, i64 104
  %v56 = getelementptr i8, ptr %v5, i64 112
  %v57 = getelementptr i8, ptr %v5, i64 120
  %v58 = getelementptr i8, ptr %v5, i64 88
  br label %v59
v60:
  %v61 = icmp sgt i64 %v62, 1
  br i1 %v61, label %v59, label %v43
v63:
  %v64 = icmp sgt i64 %v65, 1
  br i1 %v64, label %v66, label %v60
v59:
  %v67 = phi i64 [ %v1, %v44 ], [ %v68, %v60 ]
  %v62 = phi i64 [ %v41, %v44 ], [ %v69, %v60 ]
  %v69 = add nsw i64 %v62, -1
  %v68 = add i64 %v67, 1
  %v70 = load i64, ptr %v45, align 8
  %v71 = inttoptr i64 %v70 to ptr
  %v72 = load i64, ptr %v46, align 8
  %v73 = mul i64 %v72, %v67
  %v74 = getelementptr i8, ptr %v71, i64 %v73
  %v75 = load i64, ptr %v5, align 8
  %v76 = mul i64 %v75, %v68
  %v77 = load i64, ptr %v47, align 8
  %v78 = call i64 @llvm.smin.i64(i64 %v77, i64 %v76)
  %v79 = mul i64 %v75, %v67
  %v80 = sub i64 %v78, %v79
  %v81 = icmp slt i64 %v80, 1
  br i1 %v81, label %v60, label %v66
v66:
  %v65 = phi i64 [ %v82, %v63 ], [ %v80, %v59 ]
  %v83 = phi i64 [ %v84, %v63 ], [ %v79, %v59 ]
  %v82 = add nsw i64 %v65, -1
  %v84 = add i64 %v83, 1
  %v85 = load i64, ptr %v48, align 8
  %v86 = load i64, ptr %v49, align 8
  %v87 = load i64, ptr %v50, align 8
  %v88 = load i64, ptr %v51, align 8
  %v89 = inttoptr i64 %v88 to ptr
  %v90 = load i64, ptr %v52, align 8
  %v91 = mul i64 %v90, %v83
  %v92 = getelementptr i8, ptr %v89, i64 %v91
  %v93 = load i64, ptr %v53, align 8
  %v94 = inttoptr i64 %v93 to ptr
  %v95 = load i64, ptr %v54, align 8
  %v96 = mul i64 %v95, %v83
  %v97 = getelementptr i8, ptr %v94, i64 %v96
  %v98 = load i64, ptr %v55, align 8
  %v99 = getelementptr i8, ptr %v74, i64 %v98
  %v100 = load i64, ptr %v56, align 8
  %v101 = getelementptr i8, ptr %v74, i64 %v100
  %v102 = icmp slt i64 %v85, 1
  br i1 %v102, label %v103, label %v104
v104:
  %v105 = icmp slt i64 %v86, 1
  br label %v106
v107:
  %v108 = icmp eq i64 %v85, %v109
  br i1 %v108, label %v103, label %v106
v103:
  %v110 = load i64, ptr %v57, align 8
  %v111 = inttoptr i64 %v110 to ptr
  call void %v111(ptr %v48, ptr %v49, ptr %v99, ptr %v58, ptr %v101, ptr %v4)
  %v112 = icmp slt i64 %v85, 1
  br i1 %v112, label %v113, label %v114
v114:
  %v115 = icmp slt i64 %v86, 1
  br label %v116
v117:
  %v118 = icmp eq i64 %v85, %v119
  br i1 %v118, label %v113, label %v116
v113:
  %v120 = mul i64 %v86, %v85
  %v121 = getelementptr float, ptr %v97, i64 %v120
  %v122 = getelementptr float, ptr %v121, i64 %v87
  %v123 = icmp slt i64 %v85, 1
  br i1 %v123, label %v124, label %v125
v124:
  %v126 = icmp slt i64 %v87, 1
  br i1 %v126, label %v63, label %v127
v106:
  %v128 = phi i64 [ 0, %v104 ], [ %v109, %v107 ]
  %v109 = add nuw nsw i64 %v128, 1
  %v129 = getelementptr float, ptr %v99, i64 %v128
  br i1 %v105, label %v107, label %v130
v130:
  %v131 = mul i64 %v128, %v86
  %v132 = getelementptr float, ptr %v92, i64 %v131
  br label %v133
v133:
  %v134 = phi i64 [ 0, %v130 ], [ %v135, %v133 ]
  %v135 = add nuw nsw i64 %v134, 1
  %v136 = getelementptr float, ptr %v132, i64 %v134
  %v137 = load float, ptr %v136, align 4
  %v138 = mul i64 %v134, %v85
  %v139 = getelementptr float, ptr %v129, i64 %v138
  store float %v137, ptr %v139, align 4
  %v140 = icmp eq i64 %v86, %v135
  br i1 %v140, label %v107, label %v133
v116:
  %v141 = phi i64 [ 0, %v114 ], [ %v119, %v117 ]
  %v119 = add nuw nsw i64 %v141, 1
  %v142 = getelementptr float, ptr %v99, i64 %v141
  br i1 %v115, label %v117, label %v143
v143:
  %v144 = mul i64 %v141, %v86
  %v145 = getelementptr float, ptr %v97, i64 %v144
  br label %v146
v146:
  %v147 = phi i64 [ 0, %v143 ], [ %v148, %v146 ]
  %v148 = add nuw nsw i64 %v147, 1
  %v149 = mul i64 %v147, %v85
  %v150 = getelementptr float, ptr %v142, i64 %v149
  %v151 = load float, ptr %v150, align 4
  %v152 = getelementptr float, ptr %v145, i64 %v147
  store float %v151, ptr %v152, align 4
  %v153 = icmp eq i64 %v86, %v148
  br i1 %v153, label %v117, label %v146
v125:
  %v154 = phi i64 [ %v155, %v125 ], [ 0, %v113 ]
  %v155 = add nuw nsw i64 %v154, 1
  %v156 = uitofp i64 %v154 to double
  %v157 = fptrunc double %v156 to float
  %v158 = getelementptr float, ptr %v122, i64 %v154
  store float %v157, ptr %v158, align 4
  %v159 = icmp eq i64 %v85, %v155
  br i1 %v159, label %v124, label %v125
v127:
  %v160 = phi i64 [ %v161, %v127 ], [ 0, %v124 ]
  %v161 = add nuw nsw i64 %v160, 1
  %v162 = getelementptr i32, ptr %v101, i64 %v160
  %v163 = load i32, ptr %v162, align 4
  %v164 = sext i32 %v163 to i64
  %v165 = sitofp i32 %v163 to float
  %v166 = getelementptr float, ptr %v121, i64 %v160
  store float %v165, ptr %v166, align 4
  %v167 = getelementptr float, ptr %v122, i64 %v160
  %v168 = load float, ptr %v167, align 4
  %v169 = getelementptr float, ptr %v122, i64 %v164
  %v170 = getelementptr i8, ptr %v169, i64 -4
  %v171 = load float, ptr %v170, align 4
  store float %v171, ptr %v167, align 4
  store float %v168, ptr %v170, align 4
  %v172 = icmp eq i64 %v87, %v161
  br i1 %v172, label %v63, label %v127
v43:
  %v173 = load i64, ptr %v6, align 8
  %v174 = inttoptr i64 %v173 to ptr
  %v175 = getelementptr i8, ptr %v174, i64 152
  %v176 = load i64, ptr %v175, align 8
  %v177 = icmp eq i64 %v176, 0
  br i1 %v177, label %v178, label %v179
v179:
  %v180 = getelementptr i8, ptr %v174, i64 128
  %v181 = load i64, ptr %v180, align 8
  %v182 = inttoptr i64 %v181 to ptr
  call void %v182(ptr %v174)
  %v183 = getelementptr i8, ptr %v174, i64 184
  %v184 = load i64, ptr %v183, align 8
  %v185 = icmp sgt i64 %v184, 0
  br i1 %v185, label %v186, label %v187
v186:
  %v188 = add nsw i64 %v184, -1
  store i64 %v188, ptr %v183, align 8
  %v189 = icmp eq i64 %v188, 0
  br i1 %v189, label %v190, label %v187
v190:
  %v191 = getelementptr i8, ptr %v174, i64 144
  %v192 = load i64, ptr %v191, align 8
  %v193 = inttoptr i64 %v192 to ptr
  %v194 = call i32 %v193()
  %v195 = sext i32 %v194 to i64
  %v196 = getelementptr i8, ptr %v174, i64 176
  %v197 = load i64, ptr %v196, align 8
  %v198 = icmp eq i64 %v197, %v195
  br i1 %v198, label %v199, label %v187
v199:
  %v200 = load i64, ptr %v175, align 8
  %v201 = getelementptr i8, ptr %v174, i64 168
  %v202 = inttoptr i64 %v200 to ptr
  call void %v202(ptr %v201)
  br label %v187
v187:
  %v203 = getelementptr i8, ptr %v174, i64 136
  %v204 = load i64, ptr %v203, align 8
  %v205 = inttoptr i64 %v204 to ptr
  call void %v205(ptr %v174)
  br label %v178
v178:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 80
  %v50 = getelementptr i8, ptr %v5, i64 96
  %v51 = getelementptr i8, ptr %v5, i64 40
  %v52 = getelementptr i8, ptr %v5, i64 48
  %v53 = getelementptr i8, ptr %v5, i64 56
  %v54 = getelementptr i8, ptr %v5, i64 64
  %v55 = getelementptr i8, ptr %v5, i64 104
  %v56 = getelementptr i8, ptr %v5, i64 112
  %v57 = getelementptr i8, ptr %v5, i64 120
  %v58 = getelementptr i8, ptr %v5, i64 88
  br label %v59
v60:
  %v61 = icmp sgt i64 %v62, 1
  br i1 %v61, label %v59, label %v43
v63:
  %v64 = icmp sgt i64 %v65, 1
  br i1 %v64, label %v66, label %v60
v59:
  %v67 = phi i64 [ %v1, %v44 ], [ %v68, %v60 ]
  %v62 = phi i64 [ %v41, %v44 ], [ %v69, %v60 ]
  %v69 = add nsw i64 %v62, -1
  %v68 = add i64 %v67, 1
  %v70 = load i64, ptr %v45, align 8
  %v71 = inttoptr i64 %v70 to ptr
  %v72 = load i64, ptr %v46, align 8
  %v73 = mul i64 %v72, %v67
  %v74 = getelementptr i8, ptr %v71, i64 %v73
  %v75 = load i64, ptr %v5, align 8
  %v76 = mul i64 %v75, %v68
  %v77 = load i64, ptr %v47, align 8
  %v78 = call i64 @llvm.smin.i64(i64 %v77, i64 %v76)
  %v79 = mul i64 %v75, %v67
  %v80 = sub i64 %v78, %v79
  %v81 = icmp slt i64 %v80, 1
  br i1 %v81, label %v60, label %v66
v66:
  %v65 = phi i64 [ %v82, %v63 ], [ %v80, %v59 ]
  %v83 = phi i64 [ %v84, %v63 ], [ %v79, %v59 ]
  %v82 = add nsw i64 %v65, -1
  %v84 = add i64 %v83, 1
  %v85 = load i64, ptr %v48, align 8
  %v86 = load i64, ptr %v49, align 8
  %v87 = load i64, ptr %v50, align 8
  %v88 = load i64, ptr %v51, align 8
  %v89 = inttoptr i64 %v88 to ptr
  %v90 = load i64, ptr %v52, align 8
  %v91 = mul i64 %v90, %v83
  %v92 = getelementptr i8, ptr %v89, i64 %v91
  %v93 = load i64, ptr %v53, align 8
  %v94 = inttoptr i64 %v93 to ptr
  %v95 = load i64, ptr %v54, align 8
  %v96 = mul i64 %v95, %v83
  %v97 = getelementptr i8, ptr %v94, i64 %v96
  %v98 = load i64, ptr %v55, align 8
  %v99 = getelementptr i8, ptr %v74, i64 %v98
  %v100 = load i64, ptr %v56, align 8
  %v101 = getelementptr i8, ptr %v74, i64 %v100
  %v102 = icmp slt i64 %v85, 1
  br i1 %v102, label %v103, label %v104
v104:
  %v105 = icmp slt i64 %v86, 1
  br label %v106
v107:
  %v108 = icmp eq i64 %v85, %v109
  br i1 %v108, label %v103, label %v106
v103:
  %v110 = load i64, ptr %v57, align 8
  %v111 = inttoptr i64 %v110 to ptr
  call void %v111(ptr %v48, ptr %v49, ptr %v99, ptr %v58, ptr %v101, ptr %v4)
  %v112 = icmp slt i64 %v85, 1
  br i1 %v112, label %v113, label %v114
v114:
  %v115 = icmp slt i64 %v86, 1
  br label %v116
v117:
  %v118 = icmp eq i64 %v85, %v119
  br i1 %v118, label %v113, label %v116
v113:
  %v120 = mul i64 %v86, %v85
  %v121 = getelementptr double, ptr %v97, i64 %v120
  %v122 = getelementptr double, ptr %v121, i64 %v87
  %v123 = icmp slt i64 %v85, 1
  br i1 %v123, label %v124, label %v125
v124:
  %v126 = icmp slt i64 %v87, 1
  br i1 %v126, label %v63, label %v127
v106:
  %v128 = phi i64 [ 0, %v104 ], [ %v109, %v107 ]
  %v109 = add nuw nsw i64 %v128, 1
  %v129 = getelementptr double, ptr %v99, i64 %v128
  br i1 %v105, label %v107, label %v130
v130:
  %v131 = mul i64 %v128, %v86
  %v132 = getelementptr double, ptr %v92, i64 %v131
  br label %v133
v133:
  %v134 = phi i64 [ 0, %v130 ], [ %v135, %v133 ]
  %v135 = add nuw nsw i64 %v134, 1
  %v136 = getelementptr double, ptr %v132, i64 %v134
  %v137 = load double, ptr %v136, align 8
  %v138 = mul i64 %v134, %v85
  %v139 = getelementptr double, ptr %v129, i64 %v138
  store double %v137, ptr %v139, align 8
  %v140 = icmp eq i64 %v86, %v135
  br i1 %v140, label %v107, label %v133
v116:
  %v141 = phi i64 [ 0, %v114 ], [ %v119, %v117 ]
  %v119 = add nuw nsw i64 %v141, 1
  %v142 = getelementptr double, ptr %v99, i64 %v141
  br i1 %v115, label %v117, label %v143
v143:
  %v144 = mul i64 %v141, %v86
  %v145 = getelementptr double, ptr %v97, i64 %v144
  br label %v146
v146:
  %v147 = phi i64 [ 0, %v143 ], [ %v148, %v146 ]
  %v148 = add nuw nsw i64 %v147, 1
  %v149 = mul i64 %v147, %v85
  %v150 = getelementptr double, ptr %v142, i64 %v149
  %v151 = load double, ptr %v150, align 8
  %v152 = getelementptr double, ptr %v145, i64 %v147
  store double %v151, ptr %v152, align 8
  %v153 = icmp eq i64 %v86, %v148
  br i1 %v153, label %v117, label %v146
v125:
  %v154 = phi i64 [ %v155, %v125 ], [ 0, %v113 ]
  %v155 = add nuw nsw i64 %v154, 1
  %v156 = uitofp i64 %v154 to double
  %v157 = getelementptr double, ptr %v122, i64 %v154
  store double %v156, ptr %v157, align 8
  %v158 = icmp eq i64 %v85, %v155
  br i1 %v158, label %v124, label %v125
v127:
  %v159 = phi i64 [ %v160, %v127 ], [ 0, %v124 ]
  %v160 = add nuw nsw i64 %v159, 1
  %v161 = getelementptr i32, ptr %v101, i64 %v159
  %v162 = load i32, ptr %v161, align 4
  %v163 = sext i32 %v162 to i64
  %v164 = sitofp i32 %v162 to double
  %v165 = getelementptr double, ptr %v121, i64 %v159
  store double %v164, ptr %v165, align 8
  %v166 = getelementptr double, ptr %v122, i64 %v159
  %v167 = load double, ptr %v166, align 8
  %v168 = getelementptr double, ptr %v122, i64 %v163
  %v169 = getelementptr i8, ptr %v168, i64 -8
  %v170 = load double, ptr %v169, align 8
  store double %v170, ptr %v166, align 8
  store double %v167, ptr %v169, align 8
  %v171 = icmp eq i64 %v87, %v160
  br i1 %v171, label %v63, label %v127
v43:
  %v172 = load i64, ptr %v6, align 8
  %v173 = inttoptr i64 %v172 to ptr
  %v174 = getelementptr i8, ptr %v173, i64 152
  %v175 = load i64, ptr %v174, align 8
  %v176 = icmp eq i64 %v175, 0
  br i1 %v176, label %v177, label %v178
v178:
  %v179 = getelementptr i8, ptr %v173, i64 128
  %v180 = load i64, ptr %v179, align 8
  %v181 = inttoptr i64 %v180 to ptr
  call void %v181(ptr %v173)
  %v182 = getelementptr i8, ptr %v173, i64 184
  %v183 = load i64, ptr %v182, align 8
  %v184 = icmp sgt i64 %v183, 0
  br i1 %v184, label %v185, label %v186
v185:
  %v187 = add nsw i64 %v183, -1
  store i64 %v187, ptr %v182, align 8
  %v188 = icmp eq i64 %v187, 0
  br i1 %v188, label %v189, label %v186
v189:
  %v190 = getelementptr i8, ptr %v173, i64 144
  %v191 = load i64, ptr %v190, align 8
  %v192 = inttoptr i64 %v191 to ptr
  %v193 = call i32 %v192()
  %v194 = sext i32 %v193 to i64
  %v195 = getelementptr i8, ptr %v173, i64 176
  %v196 = load i64, ptr %v195, align 8
  %v197 = icmp eq i64 %v196, %v194
  br i1 %v197, label %v198, label %v186
v198:
  %v199 = load i64, ptr %v174, align 8
  %v200 = getelementptr i8, ptr %v173, i64 168
  %v201 = inttoptr i64 %v199 to ptr
  call void %v201(ptr %v200)
  br label %v186
v186:
  %v202 = getelementptr i8, ptr %v173, i64 136
  %v203 = load i64, ptr %v202, align 8
  %v204 = inttoptr i64 %v203 to ptr
  call void %v204(ptr %v173)
  br label %v177
v177:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 88
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 104
  %v55 = getelementptr i8, ptr %v5, i64 112
  %v56 = getelementptr i8, ptr %v5, i64 96
  %v57 = getelementptr i8, ptr %v5, i64 80
  br label %v58
v59:
  %v60 = icmp sgt i64 %v61, 1
  br i1 %v60, label %v58, label %v43
v62:
  %v63 = icmp sgt i64 %v64, 1
  br i1 %v63, label %v65, label %v59
v58:
  %v66 = phi i64 [ %v1, %v44 ], [ %v67, %v59 ]
  %v61 = phi i64 [ %v41, %v44 ], [ %v68, %v59 ]
  %v68 = add nsw i64 %v61, -1
  %v67 = add i64 %v66, 1
  %v69 = load i64, ptr %v45, align 8
  %v70 = inttoptr i64 %v69 to ptr
  %v71 = load i64, ptr %v46, align 8
  %v72 = mul i64 %v71, %v66
  %v73 = getelementptr i8, ptr %v70, i64 %v72
  %v74 = load i64, ptr %v5, align 8
  %v75 = mul i64 %v74, %v67
  %v76 = load i64, ptr %v47, align 8
  %v77 = call i64 @llvm.smin.i64(i64 %v76, i64 %v75)
  %v78 = mul i64 %v74, %v66
  %v79 = sub i64 %v77, %v78
  %v80 = icmp slt i64 %v79, 1
  br i1 %v80, label %v59, label %v65
v65:
  %v64 = phi i64 [ %v81, %v62 ], [ %v79, %v58 ]
  %v82 = phi i64 [ %v83, %v62 ], [ %v78, %v58 ]
  %v81 = add nsw i64 %v64, -1
  %v83 = add i64 %v82, 1
  %v84 = load i64, ptr %v48, align 8
  %v85 = load i64, ptr %v49, align 8
  %v86 = getelementptr i8, ptr %v73, i64 %v85
  %v87 = load i64, ptr %v50, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v51, align 8
  %v90 = mul i64 %v89, %v82
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = load i64, ptr %v52, align 8
  %v93 = inttoptr i64 %v92 to ptr
  %v94 = load i64, ptr %v53, align 8
  %v95 = mul i64 %v94, %v82
  %v96 = getelementptr i8, ptr %v93, i64 %v95
  %v97 = mul i64 %v84, %v84
  %v98 = icmp slt i64 %v97, 1
  br i1 %v98, label %v99, label %v100
v100:
  %v101 = phi i64 [ %v102, %v100 ], [ 0, %v65 ]
  %v102 = add nuw nsw i64 %v101, 1
  %v103 = getelementptr float, ptr %v91, i64 %v101
  %v104 = load float, ptr %v103, align 4
  %v105 = getelementptr float, ptr %v96, i64 %v101
  store float %v104, ptr %v105, align 4
  %v106 = icmp eq i64 %v97, %v102
  br i1 %v106, label %v99, label %v100
v99:
  %v107 = load i64, ptr %v54, align 8
  %v108 = inttoptr i64 %v107 to ptr
  call void %v108(ptr %v48, ptr %v48, ptr %v96, ptr %v48, ptr %v86, ptr %v4)
  %v109 = icmp slt i64 %v84, 1
  br i1 %v109, label %v110, label %v111
v111:
  %v112 = add nuw i64 %v84, 1
  br label %v113
v110:
  %v114 = phi float [ 0.000000e+00, %v99 ], [ %v115, %v113 ]
  %v116 = fcmp ogt float %v114, 0.000000e+00
  %v117 = fmul float %v114, 0x3E80000000000000
  %v118 = select i1 %v116, float %v117, float 0x3E80000000000000
  %v119 = icmp slt i64 %v84, 1
  br i1 %v119, label %v120, label %v121
v121:
  %v122 = add nuw i64 %v84, 1
  br label %v123
v120:
  %v124 = phi float [ 1.000000e+00, %v110 ], [ %v125, %v123 ]
  %v126 = icmp slt i64 %v84, 1
  br i1 %v126, label %v127, label %v128
v128:
  %v129 = phi i64 [ %v130, %v128 ], [ 0, %v120 ]
  %v131 = phi i64 [ %v132, %v128 ], [ 0, %v120 ]
  %v132 = add nuw nsw i64 %v131, 1
  %v133 = getelementptr i32, ptr %v86, i64 %v131
  %v134 = load i32, ptr %v133, align 4
  %v135 = sext i32 %v134 to i64
  %v136 = icmp ne i64 %v132, %v135
  %v137 = zext i1 %v136 to i64
  %v130 = xor i64 %v129, %v137
  %v138 = icmp eq i64 %v84, %v132
  br i1 %v138, label %v139, label %v128
v139:
  %v140 = icmp eq i64 %v129, %v137
  br label %v127
v127:
  %v141 = phi i1 [ true, %v120 ], [ %v140, %v139 ]
  %v142 = fneg float %v124
  %v143 = select i1 %v141, float %v124, float %v142
  %v144 = load i64, ptr %v55, align 8
  %v145 = load i64, ptr %v56, align 8
  %v146 = getelementptr i8, ptr %v73, i64 %v145
  %v147 = inttoptr i64 %v144 to ptr
  call void %v147(ptr %v48, ptr %v96, ptr %v48, ptr %v86, ptr %v146, ptr %v57, ptr %v4)
  %v148 = icmp slt i64 %v97, 1
  br i1 %v148, label %v62, label %v149
v113:
  %v150 = phi float [ 0.000000e+00, %v111 ], [ %v115, %v113 ]
  %v151 = phi i64 [ 0, %v111 ], [ %v152, %v113 ]
  %v152 = add nuw nsw i64 %v151, 1
  %v153 = mul i64 %v151, %v112
  %v154 = getelementptr float, ptr %v96, i64 %v153
  %v155 = load float, ptr %v154, align 4
  %v156 = call float @llvm.fabs.f32(float %v155)
  %v157 = fcmp ogt float %v156, %v150
  %v115 = select i1 %v157, float %v156, float %v150
  %v158 = icmp eq i64 %v84, %v152
  br i1 %v158, label %v110, label %v113
v123:
  %v159 = phi float [ 1.000000e+00, %v121 ], [ %v125, %v123 ]
  %v160 = phi i64 [ 0, %v121 ], [ %v161, %v123 ]
  %v161 = add nuw nsw i64 %v160, 1
  %v162 = mul i64 %v160, %v122
  %v163 = getelementptr float, ptr %v96, i64 %v162
  %v164 = load float, ptr %v163, align 4
  %v165 = fcmp oeq float %v164, 0.000000e+00
  %v166 = select i1 %v165, float %v118, float %v164
  store float %v166, ptr %v163, align 4
  %v125 = fmul float %v159, %v166
  %v167 = icmp eq i64 %v84, %v161
  br i1 %v167, label %v120, label %v123
v149:
  %v168 = phi i64 [ %v169, %v149 ], [ 0, %v127 ]
  %v169 = add nuw nsw i64 %v168, 1
  %v170 = getelementptr float, ptr %v96, i64 %v168
  %v171 = load float, ptr %v170, align 4
  %v172 = fmul float %v143, %v171
  store float %v172, ptr %v170, align 4
  %v173 = icmp eq i64 %v97, %v169
  br i1 %v173, label %v62, label %v149
v43:
  %v174 = load i64, ptr %v6, align 8
  %v175 = inttoptr i64 %v174 to ptr
  %v176 = getelementptr i8, ptr %v175, i64 152
  %v177 = load i64, ptr %v176, align 8
  %v178 = icmp eq i64 %v177, 0
  br i1 %v178, label %v179, label %v180
v180:
  %v181 = getelementptr i8, ptr %v175, i64 128
  %v182 = load i64, ptr %v181, align 8
  %v183 = inttoptr i64 %v182 to ptr
  call void %v183(ptr %v175)
  %v184 = getelementptr i8, ptr %v175, i64 184
  %v185 = load i64, ptr %v184, align 8
  %v186 = icmp sgt i64 %v185, 0
  br i1 %v186, label %v187, label %v188
v187:
  %v189 = add nsw i64 %v185, -1
  store i64 %v189, ptr %v184, align 8
  %v190 = icmp eq i64 %v189, 0
  br i1 %v190, label %v191, label %v188
v191:
  %v192 = getelementptr i8, ptr %v175, i64 144
  %v193 = load i64, ptr %v192, align 8
  %v194 = inttoptr i64 %v193 to ptr
  %v195 = call i32 %v194()
  %v196 = sext i32 %v195 to i64
  %v197 = getelementptr i8, ptr %v175, i64 176
  %v198 = load i64, ptr %v197, align 8
  %v199 = icmp eq i64 %v198, %v196
  br i1 %v199, label %v200, label %v188
v200:
  %v201 = load i64, ptr %v176, align 8
  %v202 = getelementptr i8, ptr %v175, i64 168
  %v203 = inttoptr i64 %v201 to ptr
  call void %v203(ptr %v202)
  br label %v188
v188:
  %v204 = getelementptr i8, ptr %v175, i64 136
  %v205 = load i64, ptr %v204, align 8
  %v206 = inttoptr i64 %v205 to ptr
  call void %v206(ptr %v175)
  br label %v179
v179:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 88
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 104
  %v55 = getelementptr i8, ptr %v5, i64 112
  %v56 = getelementptr i8, ptr %v5, i64 96
  %v57 = getelementptr i8, ptr %v5, i64 80
  br label %v58
v59:
  %v60 = icmp sgt i64 %v61, 1
  br i1 %v60, label %v58, label %v43
v62:
  %v63 = icmp sgt i64 %v64, 1
  br i1 %v63, label %v65, label %v59
v58:
  %v66 = phi i64 [ %v1, %v44 ], [ %v67, %v59 ]
  %v61 = phi i64 [ %v41, %v44 ], [ %v68, %v59 ]
  %v68 = add nsw i64 %v61, -1
  %v67 = add i64 %v66, 1
  %v69 = load i64, ptr %v45, align 8
  %v70 = inttoptr i64 %v69 to ptr
  %v71 = load i64, ptr %v46, align 8
  %v72 = mul i64 %v71, %v66
  %v73 = getelementptr i8, ptr %v70, i64 %v72
  %v74 = load i64, ptr %v5, align 8
  %v75 = mul i64 %v74, %v67
  %v76 = load i64, ptr %v47, align 8
  %v77 = call i64 @llvm.smin.i64(i64 %v76, i64 %v75)
  %v78 = mul i64 %v74, %v66
  %v79 = sub i64 %v77, %v78
  %v80 = icmp slt i64 %v79, 1
  br i1 %v80, label %v59, label %v65
v65:
  %v64 = phi i64 [ %v81, %v62 ], [ %v79, %v58 ]
  %v82 = phi i64 [ %v83, %v62 ], [ %v78, %v58 ]
  %v81 = add nsw i64 %v64, -1
  %v83 = add i64 %v82, 1
  %v84 = load i64, ptr %v48, align 8
  %v85 = load i64, ptr %v49, align 8
  %v86 = getelementptr i8, ptr %v73, i64 %v85
  %v87 = load i64, ptr %v50, align 8
  %v88 = inttoptr i64 %v87 to ptr
  %v89 = load i64, ptr %v51, align 8
  %v90 = mul i64 %v89, %v82
  %v91 = getelementptr i8, ptr %v88, i64 %v90
  %v92 = load i64, ptr %v52, align 8
  %v93 = inttoptr i64 %v92 to ptr
  %v94 = load i64, ptr %v53, align 8
  %v95 = mul i64 %v94, %v82
  %v96 = getelementptr i8, ptr %v93, i64 %v95
  %v97 = mul i64 %v84, %v84
  %v98 = icmp slt i64 %v97, 1
  br i1 %v98, label %v99, label %v100
v100:
  %v101 = phi i64 [ %v102, %v100 ], [ 0, %v65 ]
  %v102 = add nuw nsw i64 %v101, 1
  %v103 = getelementptr double, ptr %v91, i64 %v101
  %v104 = load double, ptr %v103, align 8
  %v105 = getelementptr double, ptr %v96, i64 %v101
  store double %v104, ptr %v105, align 8
  %v106 = icmp eq i64 %v97, %v102
  br i1 %v106, label %v99, label %v100
v99:
  %v107 = load i64, ptr %v54, align 8
  %v108 = inttoptr i64 %v107 to ptr
  call void %v108(ptr %v48, ptr %v48, ptr %v96, ptr %v48, ptr %v86, ptr %v4)
  %v109 = icmp slt i64 %v84, 1
  br i1 %v109, label %v110, label %v111
v111:
  %v112 = add nuw i64 %v84, 1
  br label %v113
v110:
  %v114 = phi double [ 0.000000e+00, %v99 ], [ %v115, %v113 ]
  %v116 = fcmp ogt double %v114, 0.000000e+00
  %v117 = fmul double %v114, 0x3CB0000000000000
  %v118 = select i1 %v116, double %v117, double 0x3CB0000000000000
  %v119 = icmp slt i64 %v84, 1
  br i1 %v119, label %v120, label %v121
v121:
  %v122 = add nuw i64 %v84, 1
  br label %v123
v120:
  %v124 = phi double [ 1.000000e+00, %v110 ], [ %v125, %v123 ]
  %v126 = icmp slt i64 %v84, 1
  br i1 %v126, label %v127, label %v128
v128:
  %v129 = phi i64 [ %v130, %v128 ], [ 0, %v120 ]
  %v131 = phi i64 [ %v132, %v128 ], [ 0, %v120 ]
  %v132 = add nuw nsw i64 %v131, 1
  %v133 = getelementptr i32, ptr %v86, i64 %v131
  %v134 = load i32, ptr %v133, align 4
  %v135 = sext i32 %v134 to i64
  %v136 = icmp ne i64 %v132, %v135
  %v137 = zext i1 %v136 to i64
  %v130 = xor i64 %v129, %v137
  %v138 = icmp eq i64 %v84, %v132
  br i1 %v138, label %v139, label %v128
v139:
  %v140 = icmp eq i64 %v129, %v137
  br label %v127
v127:
  %v141 = phi i1 [ true, %v120 ], [ %v140, %v139 ]
  %v142 = fneg double %v124
  %v143 = select i1 %v141, double %v124, double %v142
  %v144 = load i64, ptr %v55, align 8
  %v145 = load i64, ptr %v56, align 8
  %v146 = getelementptr i8, ptr %v73, i64 %v145
  %v147 = inttoptr i64 %v144 to ptr
  call void %v147(ptr %v48, ptr %v96, ptr %v48, ptr %v86, ptr %v146, ptr %v57, ptr %v4)
  %v148 = icmp slt i64 %v97, 1
  br i1 %v148, label %v62, label %v149
v113:
  %v150 = phi double [ 0.000000e+00, %v111 ], [ %v115, %v113 ]
  %v151 = phi i64 [ 0, %v111 ], [ %v152, %v113 ]
  %v152 = add nuw nsw i64 %v151, 1
  %v153 = mul i64 %v151, %v112
  %v154 = getelementptr double, ptr %v96, i64 %v153
  %v155 = load double, ptr %v154, align 8
  %v156 = call double @llvm.fabs.f64(double %v155)
  %v157 = fcmp ogt double %v156, %v150
  %v115 = select i1 %v157, double %v156, double %v150
  %v158 = icmp eq i64 %v84, %v152
  br i1 %v158, label %v110, label %v113
v123:
  %v159 = phi double [ 1.000000e+00, %v121 ], [ %v125, %v123 ]
  %v160 = phi i64 [ 0, %v121 ], [ %v161, %v123 ]
  %v161 = add nuw nsw i64 %v160, 1
  %v162 = mul i64 %v160, %v122
  %v163 = getelementptr double, ptr %v96, i64 %v162
  %v164 = load double, ptr %v163, align 8
  %v165 = fcmp oeq double %v164, 0.000000e+00
  %v166 = select i1 %v165, double %v118, double %v164
  store double %v166, ptr %v163, align 8
  %v125 = fmul double %v159, %v166
  %v167 = icmp eq i64 %v84, %v161
  br i1 %v167, label %v120, label %v123
v149:
  %v168 = phi i64 [ %v169, %v149 ], [ 0, %v127 ]
  %v169 = add nuw nsw i64 %v168, 1
  %v170 = getelementptr double, ptr %v96, i64 %v168
  %v171 = load double, ptr %v170, align 8
  %v172 = fmul double %v143, %v171
  store double %v172, ptr %v170, align 8
  %v173 = icmp eq i64 %v97, %v169
  br i1 %v173, label %v62, label %v149
v43:
  %v174 = load i64, ptr %v6, align 8
  %v175 = inttoptr i64 %v174 to ptr
  %v176 = getelementptr i8, ptr %v175, i64 152
  %v177 = load i64, ptr %v176, align 8
  %v178 = icmp eq i64 %v177, 0
  br i1 %v178, label %v179, label %v180
v180:
  %v181 = getelementptr i8, ptr %v175, i64 128
  %v182 = load i64, ptr %v181, align 8
  %v183 = inttoptr i64 %v182 to ptr
  call void %v183(ptr %v175)
  %v184 = getelementptr i8, ptr %v175, i64 184
  %v185 = load i64, ptr %v184, align 8
  %v186 = icmp sgt i64 %v185, 0
  br i1 %v186, label %v187, label %v188
v187:
  %v189 = add nsw i64 %v185, -1
  store i64 %v189, ptr %v184, align 8
  %v190 = icmp eq i64 %v189, 0
  br i1 %v190, label %v191, label %v188
v191:
  %v192 = getelementptr i8, ptr %v175, i64 144
  %v193 = load i64, ptr %v192, align 8
  %v194 = inttoptr i64 %v193 to ptr
  %v195 = call i32 %v194()
  %v196 = sext i32 %v195 to i64
  %v197 = getelementptr i8, ptr %v175, i64 176
  %v198 = load i64, ptr %v197, align 8
  %v199 = icmp eq i64 %v198, %v196
  br i1 %v199, label %v200, label %v188
v200:
  %v201 = load i64, ptr %v176, align 8
  %v202 = getelementptr i8, ptr %v175, i64 168
  %v203 = inttoptr i64 %v201 to ptr
  call void %v203(ptr %v202)
  br label %v188
v188:
  %v204 = getelementptr i8, ptr %v175, i64 136
  %v205 = load i64, ptr %v204, align 8
  %v206 = inttoptr i64 %v205 to ptr
  call void %v206(ptr %v175)
  br label %v179
v179:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 80
  %v50 = getelementptr i8, ptr %v5, i64 104
  %v51 = getelementptr i8, ptr %v5, i64 56
  %v52 = getelementptr i8, ptr %v5, i64 64
  %v53 = getelementptr i8, ptr %v5, i64 120
  %v54 = getelementptr i8, ptr %v5, i64 128
  %v55 = getelementptr i8, ptr %v5, i64 136
  %v56 = getelementptr i8, ptr %v5, i64 40
  %v57 = getelementptr i8, ptr %v5, i64 48
  %v58 = getelementptr i8, ptr %v5, i64 144
  %v59 = getelementptr i8, ptr %v5, i64 88
  %v60 = getelementptr i8, ptr %v5, i64 112
  %v61 = getelementptr i8, ptr %v5, i64 96
  %v62 = getelementptr i8, ptr %v5, i64 152
  %v63 = getelementptr i8, ptr %v5, i64 96
  br label %v64
v65:
  %v66 = icmp sgt i64 %v67, 1
  br i1 %v66, label %v64, label %v43
v64:
  %v68 = phi i64 [ %v1, %v44 ], [ %v69, %v65 ]
  %v67 = phi i64 [ %v41, %v44 ], [ %v70, %v65 ]
  %v70 = add nsw i64 %v67, -1
  %v69 = add i64 %v68, 1
  %v71 = load i64, ptr %v45, align 8
  %v72 = inttoptr i64 %v71 to ptr
  %v73 = load i64, ptr %v46, align 8
  %v74 = mul i64 %v73, %v68
  %v75 = getelementptr i8, ptr %v72, i64 %v74
  %v76 = load i64, ptr %v5, align 8
  %v77 = mul i64 %v76, %v69
  %v78 = load i64, ptr %v47, align 8
  %v79 = call i64 @llvm.smin.i64(i64 %v78, i64 %v77)
  %v80 = mul i64 %v76, %v68
  %v81 = sub i64 %v79, %v80
  %v82 = icmp slt i64 %v81, 1
  br i1 %v82, label %v65, label %v83
v83:
  %v84 = phi i64 [ %v85, %v86 ], [ %v81, %v64 ]
  %v87 = phi i64 [ %v88, %v86 ], [ %v80, %v64 ]
  %v85 = add nsw i64 %v84, -1
  %v88 = add i64 %v87, 1
  %v89 = load i64, ptr %v48, align 8
  %v90 = load i64, ptr %v49, align 8
  %v91 = load i64, ptr %v50, align 8
  %v92 = load i64, ptr %v51, align 8
  %v93 = inttoptr i64 %v92 to ptr
  %v94 = load i64, ptr %v52, align 8
  %v95 = mul i64 %v94, %v87
  %v96 = getelementptr i8, ptr %v93, i64 %v95
  %v97 = load i64, ptr %v53, align 8
  %v98 = getelementptr i8, ptr %v75, i64 %v97
  %v99 = load i64, ptr %v54, align 8
  %v100 = getelementptr i8, ptr %v75, i64 %v99
  %v101 = load i64, ptr %v55, align 8
  %v102 = getelementptr i8, ptr %v75, i64 %v101
  %v103 = load i64, ptr %v56, align 8
  %v104 = inttoptr i64 %v103 to ptr
  %v105 = load i64, ptr %v57, align 8
  %v106 = mul i64 %v105, %v87
  %v107 = getelementptr i8, ptr %v104, i64 %v106
  %v108 = mul i64 %v90, %v89
  %v109 = icmp slt i64 %v108, 1
  br i1 %v109, label %v110, label %v111
v111:
  %v112 = phi i64 [ %v113, %v111 ], [ 0, %v83 ]
  %v113 = add nuw nsw i64 %v112, 1
  %v114 = getelementptr float, ptr %v107, i64 %v112
  %v115 = load float, ptr %v114, align 4
  %v116 = getelementptr float, ptr %v98, i64 %v112
  store float %v115, ptr %v116, align 4
  %v117 = icmp eq i64 %v108, %v113
  br i1 %v117, label %v110, label %v111
v110:
  %v118 = load i64, ptr %v58, align 8
  %v119 = inttoptr i64 %v118 to ptr
  call void %v119(ptr %v49, ptr %v48, ptr %v98, ptr %v59, ptr %v100, ptr %v102, ptr %v60, ptr %v4)
  %v120 = mul i64 %v91, %v89
  %v121 = getelementptr float, ptr %v96, i64 %v120
  %v122 = icmp slt i64 %v91, 1
  br i1 %v122, label %v123, label %v124
v124:
  %v125 = icmp slt i64 %v90, 1
  br label %v126
v127:
  %v128 = icmp eq i64 %v129, %v91
  br i1 %v128, label %v123, label %v126
v130:
  %v131 = getelementptr float, ptr %v132, i64 %v133
  %v134 = load float, ptr %v131, align 4
  br label %v135
v135:
  %v136 = phi float [ %v134, %v130 ], [ 0.000000e+00, %v137 ]
  %v138 = getelementptr float, ptr %v139, i64 %v133
  store float %v136, ptr %v138, align 4
  %v140 = icmp eq i64 %v90, %v141
  br i1 %v140, label %v127, label %v137
v123:
  %v142 = icmp slt i64 %v89, 1
  br i1 %v142, label %v86, label %v143
v144:
  %v145 = icmp eq i64 %v89, %v146
  br i1 %v145, label %v86, label %v143
v126:
  %v147 = phi i64 [ 0, %v124 ], [ %v129, %v127 ]
  %v129 = add nuw nsw i64 %v147, 1
  br i1 %v125, label %v127, label %v148
v148:
  %v149 = mul i64 %v147, %v90
  %v132 = getelementptr float, ptr %v98, i64 %v149
  %v150 = mul i64 %v147, %v90
  %v139 = getelementptr float, ptr %v121, i64 %v150
  br label %v137
v137:
  %v133 = phi i64 [ 0, %v148 ], [ %v141, %v135 ]
  %v141 = add nuw nsw i64 %v133, 1
  %v151 = icmp ult i64 %v133, %v147
  br i1 %v151, label %v135, label %v130
v143:
  %v152 = phi i64 [ %v146, %v144 ], [ 0, %v123 ]
  %v146 = add nuw nsw i64 %v152, 1
  %v153 = load i64, ptr %v61, align 8
  %v154 = icmp slt i64 %v153, 1
  br i1 %v154, label %v144, label %v155
v155:
  %v156 = mul i64 %v152, %v90
  %v157 = getelementptr float, ptr %v98, i64 %v156
  %v158 = mul i64 %v152, %v91
  %v159 = getelementptr float, ptr %v96, i64 %v158
  br label %v160
v160:
  %v161 = phi i64 [ 0, %v155 ], [ %v162, %v160 ]
  %v162 = add nuw nsw i64 %v161, 1
  %v163 = getelementptr float, ptr %v157, i64 %v161
  %v164 = load float, ptr %v163, align 4
  %v165 = getelementptr float, ptr %v159, i64 %v161
  store float %v164, ptr %v165, align 4
  %v166 = icmp eq i64 %v162, %v153
  br i1 %v166, label %v144, label %v160
v86:
  %v167 = load i64, ptr %v62, align 8
  %v168 = inttoptr i64 %v167 to ptr
  call void %v168(ptr %v50, ptr %v48, ptr %v63, ptr %v96, ptr %v50, ptr %v100, ptr %v102, ptr %v60, ptr %v4)
  %v169 = icmp sgt i64 %v84, 1
  br i1 %v169, label %v83, label %v65
v43:
  %v170 = load i64, ptr %v6, align 8
  %v171 = inttoptr i64 %v170 to ptr
  %v172 = getelementptr i8, ptr %v171, i64 152
  %v173 = load i64, ptr %v172, align 8
  %v174 = icmp eq i64 %v173, 0
  br i1 %v174, label %v175, label %v176
v176:
  %v177 = getelementptr i8, ptr %v171, i64 128
  %v178 = load i64, ptr %v177, align 8
  %v179 = inttoptr i64 %v178 to ptr
  call void %v179(ptr %v171)
  %v180 = getelementptr i8, ptr %v171, i64 184
  %v181 = load i64, ptr %v180, align 8
  %v182 = icmp sgt i64 %v181, 0
  br i1 %v182, label %v183, label %v184
v183:
  %v185 = add nsw i64 %v181, -1
  store i64 %v185, ptr %v180, align 8
  %v186 = icmp eq i64 %v185, 0
  br i1 %v186, label %v187, label %v184
v187:
  %v188 = getelementptr i8, ptr %v171, i64 144
  %v189 = load i64, ptr %v188, align 8
  %v190 = inttoptr i64 %v189 to ptr
  %v191 = call i32 %v190()
  %v192 = sext i32 %v191 to i64
  %v193 = getelementptr i8, ptr %v171, i64 176
  %v194 = load i64, ptr %v193, align 8
  %v195 = icmp eq i64 %v194, %v192
  br i1 %v195, label %v196, label %v184
v196:
  %v197 = load i64, ptr %v172, align 8
  %v198 = getelementptr i8, ptr %v171, i64 168
  %v199 = inttoptr i64 %v197 to ptr
  call void %v199(ptr %v198)
  br label %v184
v184:
  %v200 = getelementptr i8, ptr %v171, i64 136
  %v201 = load i64, ptr %v200, align 8
  %v202 = inttoptr i64 %v201 to ptr
  call void %v202(ptr %v171)
  br label %v175
v175:
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 72
  %v49 = getelementptr i8, ptr %v5, i64 56
  %v50 = getelementptr i8, ptr %v5, i64 64
  %v51 = getelementptr i8, ptr %v5, i64 120
  %v52 = getelementptr i8, ptr %v5, i64 128
  %v53 = getelementptr i8, ptr %v5, i64 80
  %v54 = getelementptr i8, ptr %v5, i64 112
  %v55 = getelementptr i8, ptr %v5, i64 40
  %v56 = getelementptr i8, ptr %v5, i64 48
  %v57 = getelementptr i8, ptr %v5, i64 136
  %v58 = getelementptr i8, ptr %v5, i64 88
  %v59 = getelementptr i8, ptr %v5, i64 96
  %v60 = getelementptr i8, ptr %v5, i64 104
  br label %v61
v62:
  %v63 = icmp sgt i64 %v64, 1
  br i1 %v63, label %v61, label %v43
v65:
  %v66 = phi i64 [ %v67, %v61 ], [ %v68, %v69 ]
  %v70 = phi i64 [ %v71, %v61 ], [ %v72, %v69 ]
  %v73 = icmp sgt i64 %v66, 0
  br i1 %v73, label %v74, label %v62
v61:
  %v75 = phi i64 [ %v1, %v44 ], [ %v76, %v62 ]
  %v64 = phi i64 [ %v41, %v44 ], [ %v77, %v62 ]
  %v77 = add nsw i64 %v64, -1
  %v76 = add i64 %v75, 1
  %v78 = load i64, ptr %v45, align 8
  %v79 = inttoptr i64 %v78 to ptr
  %v80 = load i64, ptr %v46, align 8
  %v81 = mul i64 %v80, %v75
  %v82 = getelementptr i8, ptr %v79, i64 %v81
  %v83 = load i64, ptr %v5, align 8
  %v84 = mul i64 %v83, %v76
  %v85 = load i64, ptr %v47, align 8
  %v86 = call i64 @llvm.smin.i64(i64 %v85, i64 %v84)
  %v71 = mul i64 %v83, %v75
  %v87 = sub i64 %v86, %v71
  %v67 = call i64 @llvm.smax.i64(i64 %v87, i64 0)
  br label %v65
v74:
  %v68 = add nsw i64 %v66, -1
  %v72 = add i64 %v70, 1
  %v88 = load i64, ptr %v48, align 8
  %v89 = load i64, ptr %v49, align 8
  %v90 = inttoptr i64 %v89 to ptr
  %v91 = load i64, ptr %v50, align 8
  %v92 = mul i64 %v91, %v70
  %v93 = getelementptr i8, ptr %v90, i64 %v92
  %v94 = load i64, ptr %v51, align 8
  %v95 = getelementptr i8, ptr %v82, i64 %v94
  %v96 = load i64, ptr %v52, align 8
  %v97 = getelementptr i8, ptr %v82, i64 %v96
  %v98 = load i64, ptr %v53, align 8
  %v99 = icmp eq i64 %v98, 86
  br i1 %v99, label %v100, label %v101
v100:
  %v102 = getelementptr float, ptr %v93, i64 %v88
  br label %v103
v101:
  %v104 = load i64, ptr %v54, align 8
  %v105 = getelementptr i8, ptr %v82, i64 %v104
  br label %v103
v103:
  %v106 = phi ptr [ %v102, %v100 ], [ %v105, %v101 ]
  %v107 = load i64, ptr %v55, align 8
  %v108 = inttoptr i64 %v107 to ptr
  %v109 = load i64, ptr %v56, align 8
  %v110 = mul i64 %v109, %v70
  %v111 = getelementptr i8, ptr %v108, i64 %v110
  %v112 = mul i64 %v88, %v88
  %v113 = icmp slt i64 %v112, 1
  br i1 %v113, label %v69, label %v114
v114:
  %v115 = phi i64 [ %v116, %v114 ], [ 0, %v103 ]
  %v116 = add nuw nsw i64 %v115, 1
  %v117 = getelementptr float, ptr %v111, i64 %v115
  %v118 = load float, ptr %v117, align 4
  %v119 = getelementptr float, ptr %v106, i64 %v115
  store float %v118, ptr %v119, align 4
  %v120 = icmp eq i64 %v112, %v116
  br i1 %v120, label %v69, label %v114
v69:
  %v121 = load i64, ptr %v57, align 8
  %v122 = inttoptr i64 %v121 to ptr
  call void %v122(ptr %v53, ptr %v58, ptr %v48, ptr %v106, ptr %v48, ptr %v93, ptr %v95, ptr %v59, ptr %v97, ptr %v60, ptr %v4)
  %v123 = load i32, ptr %v4, align 8
  %v124 = icmp eq i32 %v123, 0
  br i1 %v124, label %v65, label %v43
v43:
  %v125 = phi i32 [ 5, %v69 ], [ 0, %v12 ], [ 0, %v62 ]
  %v126 = load i64, ptr %v6, align 8
  %v127 = inttoptr i64 %v126 to ptr
  %v128 = getelementptr i8, ptr %v127, i64 152
  %v129 = load i64, ptr %v128, align 8
  %v130 = icmp eq i64 %v129, 0
  br i1 %v130, label %v131, label %v132
v132:
  %v133 = getelementptr i8, ptr %v127, i64 128
  %v134 = load i64, ptr %v133, align 8
  %v135 = inttoptr i64 %v134 to ptr
  call void %v135(ptr %v127)
  %v136 = getelementptr i8, ptr %v127, i64 184
  %v137 = load i64, ptr %v136, align 8
  %v138 = icmp sgt i64 %v137, 0
  br i1 %v138, label %v139, label %v140
v139:
  %v141 = add nsw i64 %v137, -1
  store i64 %v141, ptr %v136, align 8
  %v142 = icmp eq i64 %v141, 0
  br i1 %v142, label %v143, label %v140
v143:
  %v144 = getelementptr i8, ptr %v127, i64 144
  %v145 = load i64, ptr %v144, align 8
  %v146 = inttoptr i64 %v145 to ptr
  %v147 = call i32 %v146()
  %v148 = sext i32 %v147 to i64
  %v149 = getelementptr i8, ptr %v127, i64 176
  %v150 = load i64, ptr %v149, align 8
  %v151 = icmp eq i64 %v150, %v148
  br i1 %v151, label %v152, label %v140
v152:
  %v153 = load i64, ptr %v128, align 8
  %v154 = getelementptr i8, ptr %v127, i64 168
  %v155 = inttoptr i64 %v153 to ptr
  call void %v155(ptr %v154)
  br label %v140
v140:
  %v156 = getelementptr i8, ptr %v127, i64 136
  %v157 = load i64, ptr %v156, align 8
  %v158 = inttoptr i64 %v157 to ptr
  call void %v158(ptr %v127)
  br label %v131
v131:
  ret i32 %v125
}

define i32 @lstsq_gels_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 96
  %v49 = getelementptr i8, ptr %v5, i64 104
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 144
  %v55 = getelementptr i8, ptr %v5, i64 152
  %v56 = getelementptr i8, ptr %v5, i64 112
  %v57 = getelementptr i8, ptr %v5, i64 120
  %v58 = getelementptr i8, ptr %v5, i64 160
  %v59 = getelementptr i8, ptr %v5, i64 168
  %v60 = getelementptr i8, ptr %v5, i64 88
  %v61 = getelementptr i8, ptr %v5, i64 120
  %v62 = getelementptr i8, ptr %v5, i64 128
  %v63 = getelementptr i8, ptr %v5, i64 72
  %v64 = getelementptr i8, ptr %v5, i64 80
  br label %v65
v66:
  %v67 = icmp sgt i64 %v68, 1
  br i1 %v67, label %v65, label %v43
v69:
  %v70 = phi i64 [ %v71, %v65 ], [ %v72, %v73 ]
  %v74 = phi i64 [ %v75, %v65 ], [ %v76, %v73 ]
  %v77 = icmp sgt i64 %v74, 0
  br i1 %v77, label %v78, label %v66
v65:
  %v68 = phi i64 [ %v41, %v44 ], [ %v79, %v66 ]
  %v80 = phi i64 [ %v1, %v44 ], [ %v81, %v66 ]
  %v79 = add nsw i64 %v68, -1
  %v81 = add i64 %v80, 1
  %v82 = load i64, ptr %v45, align 8
  %v83 = inttoptr i64 %v82 to ptr
  %v84 = load i64, ptr %v46, align 8
  %v85 = mul i64 %v84, %v80
  %v86 = getelementptr i8, ptr %v83, i64 %v85
  %v87 = load i64, ptr %v5, align 8
  %v88 = mul i64 %v87, %v81
  %v89 = load i64, ptr %v47, align 8
  %v90 = call i64 @llvm.smin.i64(i64 %v89, i64 %v88)
  %v71 = mul i64 %v87, %v80
  %v91 = sub i64 %v90, %v71
  %v75 = call i64 @llvm.smax.i64(i64 %v91, i64 0)
  br label %v69
v78:
  %v76 = add nsw i64 %v74, -1
  %v72 = add i64 %v70, 1
  %v92 = load i64, ptr %v48, align 8
  %v93 = load i64, ptr %v49, align 8
  %v94 = load i64, ptr %v50, align 8
  %v95 = inttoptr i64 %v94 to ptr
  %v96 = load i64, ptr %v51, align 8
  %v97 = mul i64 %v96, %v70
  %v98 = getelementptr i8, ptr %v95, i64 %v97
  %v99 = load i64, ptr %v52, align 8
  %v100 = inttoptr i64 %v99 to ptr
  %v101 = load i64, ptr %v53, align 8
  %v102 = mul i64 %v101, %v70
  %v103 = getelementptr i8, ptr %v100, i64 %v102
  %v104 = load i64, ptr %v54, align 8
  %v105 = getelementptr i8, ptr %v86, i64 %v104
  %v106 = load i64, ptr %v55, align 8
  %v107 = getelementptr i8, ptr %v86, i64 %v106
  %v108 = icmp slt i64 %v92, 1
  br i1 %v108, label %v109, label %v110
v110:
  %v111 = icmp slt i64 %v93, 1
  br label %v112
v113:
  %v114 = icmp eq i64 %v92, %v115
  br i1 %v114, label %v109, label %v112
v109:
  %v116 = load i64, ptr %v56, align 8
  %v117 = icmp slt i64 %v116, 1
  br i1 %v117, label %v118, label %v119
v119:
  %v120 = icmp slt i64 %v92, 1
  br label %v121
v122:
  %v123 = icmp eq i64 %v124, %v116
  br i1 %v123, label %v118, label %v121
v112:
  %v125 = phi i64 [ 0, %v110 ], [ %v115, %v113 ]
  %v115 = add nuw nsw i64 %v125, 1
  %v126 = getelementptr float, ptr %v105, i64 %v125
  br i1 %v111, label %v113, label %v127
v127:
  %v128 = mul i64 %v125, %v93
  %v129 = getelementptr float, ptr %v98, i64 %v128
  br label %v130
v130:
  %v131 = phi i64 [ 0, %v127 ], [ %v132, %v130 ]
  %v132 = add nuw nsw i64 %v131, 1
  %v133 = getelementptr float, ptr %v129, i64 %v131
  %v134 = load float, ptr %v133, align 4
  %v135 = mul i64 %v131, %v92
  %v136 = getelementptr float, ptr %v126, i64 %v135
  store float %v134, ptr %v136, align 4
  %v137 = icmp eq i64 %v93, %v132
  br i1 %v137, label %v113, label %v130
v121:
  %v138 = phi i64 [ 0, %v119 ], [ %v124, %v122 ]
  %v124 = add nuw nsw i64 %v138, 1
  br i1 %v120, label %v122, label %v139
v139:
  %v140 = mul i64 %v138, %v92
  %v141 = getelementptr float, ptr %v103, i64 %v140
  br label %v142
v142:
  %v143 = phi i64 [ 0, %v139 ], [ %v144, %v142 ]
  %v144 = add nuw nsw i64 %v143, 1
  %v145 = getelementptr float, ptr %v141, i64 %v143
  %v146 = load float, ptr %v145, align 4
  %v147 = load i64, ptr %v57, align 8
  %v148 = mul i64 %v147, %v138
  %v149 = getelementptr float, ptr %v107, i64 %v148
  %v150 = getelementptr float, ptr %v149, i64 %v143
  store float %v146, ptr %v150, align 4
  %v151 = icmp eq i64 %v92, %v144
  br i1 %v151, label %v122, label %v142
v118:
  %v152 = load i64, ptr %v58, align 8
  %v153 = getelementptr i8, ptr %v86, i64 %v152
  %v154 = load i64, ptr %v59, align 8
  %v155 = inttoptr i64 %v154 to ptr
  call void %v155(ptr %v60, ptr %v48, ptr %v49, ptr %v56, ptr %v105, ptr %v48, ptr %v107, ptr %v61, ptr %v153, ptr %v62, ptr %v4)
  %v156 = load i32, ptr %v4, align 8
  %v157 = icmp eq i32 %v156, 0
  br i1 %v157, label %v158, label %v73
v158:
  %v159 = load i64, ptr %v48, align 8
  %v160 = load i64, ptr %v49, align 8
  %v161 = call i64 @llvm.smin.i64(i64 %v160, i64 %v159)
  %v162 = load i64, ptr %v56, align 8
  %v163 = load i64, ptr %v63, align 8
  %v164 = inttoptr i64 %v163 to ptr
  %v165 = load i64, ptr %v64, align 8
  %v166 = mul i64 %v165, %v70
  %v167 = getelementptr i8, ptr %v164, i64 %v166
  %v168 = icmp slt i64 %v162, 1
  br i1 %v168, label %v169, label %v170
v170:
  %v171 = icmp slt i64 %v160, 1
  br label %v172
v173:
  %v174 = icmp eq i64 %v175, %v162
  br i1 %v174, label %v169, label %v172
v172:
  %v176 = phi i64 [ 0, %v170 ], [ %v175, %v173 ]
  %v175 = add nuw nsw i64 %v176, 1
  br i1 %v171, label %v173, label %v177
v177:
  %v178 = mul i64 %v176, %v160
  %v179 = getelementptr float, ptr %v167, i64 %v178
  br label %v180
v180:
  %v181 = phi i64 [ 0, %v177 ], [ %v182, %v180 ]
  %v182 = add nuw nsw i64 %v181, 1
  %v183 = load i64, ptr %v61, align 8
  %v184 = mul i64 %v183, %v176
  %v185 = getelementptr float, ptr %v107, i64 %v184
  %v186 = getelementptr float, ptr %v185, i64 %v181
  %v187 = load float, ptr %v186, align 4
  %v188 = getelementptr float, ptr %v179, i64 %v181
  store float %v187, ptr %v188, align 4
  %v189 = icmp eq i64 %v160, %v182
  br i1 %v189, label %v173, label %v180
v169:
  %v190 = sitofp i64 %v161 to double
  %v191 = fptrunc double %v190 to float
  %v192 = mul i64 %v162, %v160
  %v193 = getelementptr float, ptr %v167, i64 %v192
  store float %v191, ptr %v193, align 4
  br label %v73
v73:
  %v194 = phi i32 [ 0, %v169 ], [ 3, %v118 ]
  br i1 %v157, label %v69, label %v43
v43:
  %v195 = phi i32 [ 0, %v12 ], [ %v194, %v73 ], [ 0, %v66 ]
  %v196 = load i64, ptr %v6, align 8
  %v197 = inttoptr i64 %v196 to ptr
  %v198 = getelementptr i8, ptr %v197, i64 152
  %v199 = load i64, ptr %v198, align 8
  %v200 = icmp eq i64 %v199, 0
  br i1 %v200, label %v201, label %v202
v202:
  %v203 = getelementptr i8, ptr %v197, i64 128
  %v204 = load i64, ptr %v203, align 8
  %v205 = inttoptr i64 %v204 to ptr
  call void %v205(ptr %v197)
  %v206 = getelementptr i8, ptr %v197, i64 184
  %v207 = load i64, ptr %v206, align 8
  %v208 = icmp sgt i64 %v207, 0
  br i1 %v208, label %v209, label %v210
v209:
  %v211 = add nsw i64 %v207, -1
  store i64 %v211, ptr %v206, align 8
  %v212 = icmp eq i64 %v211, 0
  br i1 %v212, label %v213, label %v210
v213:
  %v214 = getelementptr i8, ptr %v197, i64 144
  %v215 = load i64, ptr %v214, align 8
  %v216 = inttoptr i64 %v215 to ptr
  %v217 = call i32 %v216()
  %v218 = sext i32 %v217 to i64
  %v219 = getelementptr i8, ptr %v197, i64 176
  %v220 = load i64, ptr %v219, align 8
  %v221 = icmp eq i64 %v220, %v218
  br i1 %v221, label %v222, label %v210
v222:
  %v223 = load i64, ptr %v198, align 8
  %v224 = getelementptr i8, ptr %v197, i64 168
  %v225 = inttoptr i64 %v223 to ptr
  call void %v225(ptr %v224)
  br label %v210
v210:
  %v226 = getelementptr i8, ptr %v197, i64 136
  %v227 = load i64, ptr %v226, align 8
  %v228 = inttoptr i64 %v227 to ptr
  call void %v228(ptr %v197)
  br label %v201
v201:
  ret i32 %v195
}

define i32 @lstsq_gels_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 96
  %v49 = getelementptr i8, ptr %v5, i64 104
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 144
  %v55 = getelementptr i8, ptr %v5, i64 152
  %v56 = getelementptr i8, ptr %v5, i64 112
  %v57 = getelementptr i8, ptr %v5, i64 120
  %v58 = getelementptr i8, ptr %v5, i64 160
  %v59 = getelementptr i8, ptr %v5, i64 168
  %v60 = getelementptr i8, ptr %v5, i64 88
  %v61 = getelementptr i8, ptr %v5, i64 120
  %v62 = getelementptr i8, ptr %v5, i64 128
  %v63 = getelementptr i8, ptr %v5, i64 72
  %v64 = getelementptr i8, ptr %v5, i64 80
  br label %v65
v66:
  %v67 = icmp sgt i64 %v68, 1
  br i1 %v67, label %v65, label %v43
v69:
  %v70 = phi i64 [ %v71, %v65 ], [ %v72, %v73 ]
  %v74 = phi i64 [ %v75, %v65 ], [ %v76, %v73 ]
  %v77 = icmp sgt i64 %v74, 0
  br i1 %v77, label %v78, label %v66
v65:
  %v68 = phi i64 [ %v41, %v44 ], [ %v79, %v66 ]
  %v80 = phi i64 [ %v1, %v44 ], [ %v81, %v66 ]
  %v79 = add nsw i64 %v68, -1
  %v81 = add i64 %v80, 1
  %v82 = load i64, ptr %v45, align 8
  %v83 = inttoptr i64 %v82 to ptr
  %v84 = load i64, ptr %v46, align 8
  %v85 = mul i64 %v84, %v80
  %v86 = getelementptr i8, ptr %v83, i64 %v85
  %v87 = load i64, ptr %v5, align 8
  %v88 = mul i64 %v87, %v81
  %v89 = load i64, ptr %v47, align 8
  %v90 = call i64 @llvm.smin.i64(i64 %v89, i64 %v88)
  %v71 = mul i64 %v87, %v80
  %v91 = sub i64 %v90, %v71
  %v75 = call i64 @llvm.smax.i64(i64 %v91, i64 0)
  br label %v69
v78:
  %v76 = add nsw i64 %v74, -1
  %v72 = add i64 %v70, 1
  %v92 = load i64, ptr %v48, align 8
  %v93 = load i64, ptr %v49, align 8
  %v94 = load i64, ptr %v50, align 8
  %v95 = inttoptr i64 %v94 to ptr
  %v96 = load i64, ptr %v51, align 8
  %v97 = mul i64 %v96, %v70
  %v98 = getelementptr i8, ptr %v95, i64 %v97
  %v99 = load i64, ptr %v52, align 8
  %v100 = inttoptr i64 %v99 to ptr
  %v101 = load i64, ptr %v53, align 8
  %v102 = mul i64 %v101, %v70
  %v103 = getelementptr i8, ptr %v100, i64 %v102
  %v104 = load i64, ptr %v54, align 8
  %v105 = getelementptr i8, ptr %v86, i64 %v104
  %v106 = load i64, ptr %v55, align 8
  %v107 = getelementptr i8, ptr %v86, i64 %v106
  %v108 = icmp slt i64 %v92, 1
  br i1 %v108, label %v109, label %v110
v110:
  %v111 = icmp slt i64 %v93, 1
  br label %v112
v113:
  %v114 = icmp eq i64 %v92, %v115
  br i1 %v114, label %v109, label %v112
v109:
  %v116 = load i64, ptr %v56, align 8
  %v117 = icmp slt i64 %v116, 1
  br i1 %v117, label %v118, label %v119
v119:
  %v120 = icmp slt i64 %v92, 1
  br label %v121
v122:
  %v123 = icmp eq i64 %v124, %v116
  br i1 %v123, label %v118, label %v121
v112:
  %v125 = phi i64 [ 0, %v110 ], [ %v115, %v113 ]
  %v115 = add nuw nsw i64 %v125, 1
  %v126 = getelementptr double, ptr %v105, i64 %v125
  br i1 %v111, label %v113, label %v127
v127:
  %v128 = mul i64 %v125, %v93
  %v129 = getelementptr double, ptr %v98, i64 %v128
  br label %v130
v130:
  %v131 = phi i64 [ 0, %v127 ], [ %v132, %v130 ]
  %v132 = add nuw nsw i64 %v131, 1
  %v133 = getelementptr double, ptr %v129, i64 %v131
  %v134 = load double, ptr %v133, align 8
  %v135 = mul i64 %v131, %v92
  %v136 = getelementptr double, ptr %v126, i64 %v135
  store double %v134, ptr %v136, align 8
  %v137 = icmp eq i64 %v93, %v132
  br i1 %v137, label %v113, label %v130
v121:
  %v138 = phi i64 [ 0, %v119 ], [ %v124, %v122 ]
  %v124 = add nuw nsw i64 %v138, 1
  br i1 %v120, label %v122, label %v139
v139:
  %v140 = mul i64 %v138, %v92
  %v141 = getelementptr double, ptr %v103, i64 %v140
  br label %v142
v142:
  %v143 = phi i64 [ 0, %v139 ], [ %v144, %v142 ]
  %v144 = add nuw nsw i64 %v143, 1
  %v145 = getelementptr double, ptr %v141, i64 %v143
  %v146 = load double, ptr %v145, align 8
  %v147 = load i64, ptr %v57, align 8
  %v148 = mul i64 %v147, %v138
  %v149 = getelementptr double, ptr %v107, i64 %v148
  %v150 = getelementptr double, ptr %v149, i64 %v143
  store double %v146, ptr %v150, align 8
  %v151 = icmp eq i64 %v92, %v144
  br i1 %v151, label %v122, label %v142
v118:
  %v152 = load i64, ptr %v58, align 8
  %v153 = getelementptr i8, ptr %v86, i64 %v152
  %v154 = load i64, ptr %v59, align 8
  %v155 = inttoptr i64 %v154 to ptr
  call void %v155(ptr %v60, ptr %v48, ptr %v49, ptr %v56, ptr %v105, ptr %v48, ptr %v107, ptr %v61, ptr %v153, ptr %v62, ptr %v4)
  %v156 = load i32, ptr %v4, align 8
  %v157 = icmp eq i32 %v156, 0
  br i1 %v157, label %v158, label %v73
v158:
  %v159 = load i64, ptr %v48, align 8
  %v160 = load i64, ptr %v49, align 8
  %v161 = call i64 @llvm.smin.i64(i64 %v160, i64 %v159)
  %v162 = load i64, ptr %v56, align 8
  %v163 = load i64, ptr %v63, align 8
  %v164 = inttoptr i64 %v163 to ptr
  %v165 = load i64, ptr %v64, align 8
  %v166 = mul i64 %v165, %v70
  %v167 = getelementptr i8, ptr %v164, i64 %v166
  %v168 = icmp slt i64 %v162, 1
  br i1 %v168, label %v169, label %v170
v170:
  %v171 = icmp slt i64 %v160, 1
  br label %v172
v173:
  %v174 = icmp eq i64 %v175, %v162
  br i1 %v174, label %v169, label %v172
v172:
  %v176 = phi i64 [ 0, %v170 ], [ %v175, %v173 ]
  %v175 = add nuw nsw i64 %v176, 1
  br i1 %v171, label %v173, label %v177
v177:
  %v178 = mul i64 %v176, %v160
  %v179 = getelementptr double, ptr %v167, i64 %v178
  br label %v180
v180:
  %v181 = phi i64 [ 0, %v177 ], [ %v182, %v180 ]
  %v182 = add nuw nsw i64 %v181, 1
  %v183 = load i64, ptr %v61, align 8
  %v184 = mul i64 %v183, %v176
  %v185 = getelementptr double, ptr %v107, i64 %v184
  %v186 = getelementptr double, ptr %v185, i64 %v181
  %v187 = load double, ptr %v186, align 8
  %v188 = getelementptr double, ptr %v179, i64 %v181
  store double %v187, ptr %v188, align 8
  %v189 = icmp eq i64 %v160, %v182
  br i1 %v189, label %v173, label %v180
v169:
  %v190 = sitofp i64 %v161 to double
  %v191 = mul i64 %v162, %v160
  %v192 = getelementptr double, ptr %v167, i64 %v191
  store double %v190, ptr %v192, align 8
  br label %v73
v73:
  %v193 = phi i32 [ 0, %v169 ], [ 3, %v118 ]
  br i1 %v157, label %v69, label %v43
v43:
  %v194 = phi i32 [ 0, %v12 ], [ %v193, %v73 ], [ 0, %v66 ]
  %v195 = load i64, ptr %v6, align 8
  %v196 = inttoptr i64 %v195 to ptr
  %v197 = getelementptr i8, ptr %v196, i64 152
  %v198 = load i64, ptr %v197, align 8
  %v199 = icmp eq i64 %v198, 0
  br i1 %v199, label %v200, label %v201
v201:
  %v202 = getelementptr i8, ptr %v196, i64 128
  %v203 = load i64, ptr %v202, align 8
  %v204 = inttoptr i64 %v203 to ptr
  call void %v204(ptr %v196)
  %v205 = getelementptr i8, ptr %v196, i64 184
  %v206 = load i64, ptr %v205, align 8
  %v207 = icmp sgt i64 %v206, 0
  br i1 %v207, label %v208, label %v209
v208:
  %v210 = add nsw i64 %v206, -1
  store i64 %v210, ptr %v205, align 8
  %v211 = icmp eq i64 %v210, 0
  br i1 %v211, label %v212, label %v209
v212:
  %v213 = getelementptr i8, ptr %v196, i64 144
  %v214 = load i64, ptr %v213, align 8
  %v215 = inttoptr i64 %v214 to ptr
  %v216 = call i32 %v215()
  %v217 = sext i32 %v216 to i64
  %v218 = getelementptr i8, ptr %v196, i64 176
  %v219 = load i64, ptr %v218, align 8
  %v220 = icmp eq i64 %v219, %v217
  br i1 %v220, label %v221, label %v209
v221:
  %v222 = load i64, ptr %v197, align 8
  %v223 = getelementptr i8, ptr %v196, i64 168
  %v224 = inttoptr i64 %v222 to ptr
  call void %v224(ptr %v223)
  br label %v209
v209:
  %v225 = getelementptr i8, ptr %v196, i64 136
  %v226 = load i64, ptr %v225, align 8
  %v227 = inttoptr i64 %v226 to ptr
  call void %v227(ptr %v196)
  br label %v200
v200:
  ret i32 %v194
}

define i32 @lstsq_gelsy_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 88
  %v49 = getelementptr i8, ptr %v5, i64 96
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 136
  %v55 = getelementptr i8, ptr %v5, i64 144
  %v56 = getelementptr i8, ptr %v5, i64 104
  %v57 = getelementptr i8, ptr %v5, i64 112
  %v58 = getelementptr i8, ptr %v5, i64 160
  %v59 = getelementptr i8, ptr %v5, i64 152
  %v60 = getelementptr i8, ptr %v4, i64 4
  %v61 = getelementptr i8, ptr %v5, i64 168
  %v62 = getelementptr i8, ptr %v5, i64 112
  %v63 = getelementptr i8, ptr %v5, i64 128
  %v64 = getelementptr i8, ptr %v5, i64 120
  %v65 = getelementptr i8, ptr %v5, i64 72
  %v66 = getelementptr i8, ptr %v5, i64 80
  br label %v67
v68:
  %v69 = icmp sgt i64 %v70, 1
  br i1 %v69, label %v67, label %v43
v67:
  %v70 = phi i64 [ %v41, %v44 ], [ %v71, %v68 ]
  %v72 = phi i64 [ %v1, %v44 ], [ %v73, %v68 ]
  %v71 = add nsw i64 %v70, -1
  %v73 = add i64 %v72, 1
  %v74 = load i64, ptr %v45, align 8
  %v75 = inttoptr i64 %v74 to ptr
  %v76 = load i64, ptr %v46, align 8
  %v77 = mul i64 %v76, %v72
  %v78 = getelementptr i8, ptr %v75, i64 %v77
  %v79 = load i64, ptr %v5, align 8
  %v80 = mul i64 %v79, %v73
  %v81 = load i64, ptr %v47, align 8
  %v82 = call i64 @llvm.smin.i64(i64 %v81, i64 %v80)
  %v83 = mul i64 %v79, %v72
  %v84 = sub i64 %v82, %v83
  %v85 = icmp slt i64 %v84, 1
  br i1 %v85, label %v68, label %v86
v86:
  %v87 = phi i64 [ %v88, %v89 ], [ %v84, %v67 ]
  %v90 = phi i64 [ %v91, %v89 ], [ %v83, %v67 ]
  %v88 = add nsw i64 %v87, -1
  %v91 = add i64 %v90, 1
  %v92 = load i64, ptr %v48, align 8
  %v93 = load i64, ptr %v49, align 8
  %v94 = load i64, ptr %v50, align 8
  %v95 = inttoptr i64 %v94 to ptr
  %v96 = load i64, ptr %v51, align 8
  %v97 = mul i64 %v96, %v90
  %v98 = getelementptr i8, ptr %v95, i64 %v97
  %v99 = load i64, ptr %v52, align 8
  %v100 = inttoptr i64 %v99 to ptr
  %v101 = load i64, ptr %v53, align 8
  %v102 = mul i64 %v101, %v90
  %v103 = getelementptr i8, ptr %v100, i64 %v102
  %v104 = load i64, ptr %v54, align 8
  %v105 = getelementptr i8, ptr %v78, i64 %v104
  %v106 = load i64, ptr %v55, align 8
  %v107 = getelementptr i8, ptr %v78, i64 %v106
  %v108 = icmp slt i64 %v92, 1
  br i1 %v108, label %v109, label %v110
v110:
  %v111 = icmp slt i64 %v93, 1
  br label %v112
v113:
  %v114 = icmp eq i64 %v92, %v115
  br i1 %v114, label %v109, label %v112
v109:
  %v116 = load i64, ptr %v56, align 8
  %v117 = icmp slt i64 %v116, 1
  br i1 %v117, label %v118, label %v119
v119:
  %v120 = icmp slt i64 %v92, 1
  br label %v121
v122:
  %v123 = icmp eq i64 %v124, %v116
  br i1 %v123, label %v118, label %v121
v112:
  %v125 = phi i64 [ 0, %v110 ], [ %v115, %v113 ]
  %v115 = add nuw nsw i64 %v125, 1
  %v126 = getelementptr float, ptr %v105, i64 %v125
  br i1 %v111, label %v113, label %v127
v127:
  %v128 = mul i64 %v125, %v93
  %v129 = getelementptr float, ptr %v98, i64 %v128
  br label %v130
v130:
  %v131 = phi i64 [ 0, %v127 ], [ %v132, %v130 ]
  %v132 = add nuw nsw i64 %v131, 1
  %v133 = getelementptr float, ptr %v129, i64 %v131
  %v134 = load float, ptr %v133, align 4
  %v135 = mul i64 %v131, %v92
  %v136 = getelementptr float, ptr %v126, i64 %v135
  store float %v134, ptr %v136, align 4
  %v137 = icmp eq i64 %v93, %v132
  br i1 %v137, label %v113, label %v130
v121:
  %v138 = phi i64 [ 0, %v119 ], [ %v124, %v122 ]
  %v124 = add nuw nsw i64 %v138, 1
  br i1 %v120, label %v122, label %v139
v139:
  %v140 = mul i64 %v138, %v92
  %v141 = getelementptr float, ptr %v103, i64 %v140
  br label %v142
v142:
  %v143 = phi i64 [ 0, %v139 ], [ %v144, %v142 ]
  %v144 = add nuw nsw i64 %v143, 1
  %v145 = getelementptr float, ptr %v141, i64 %v143
  %v146 = load float, ptr %v145, align 4
  %v147 = load i64, ptr %v57, align 8
  %v148 = mul i64 %v147, %v138
  %v149 = getelementptr float, ptr %v107, i64 %v148
  %v150 = getelementptr float, ptr %v149, i64 %v143
  store float %v146, ptr %v150, align 4
  %v151 = icmp eq i64 %v92, %v144
  br i1 %v151, label %v122, label %v142
v118:
  %v152 = load i64, ptr %v58, align 8
  %v153 = getelementptr i8, ptr %v78, i64 %v152
  %v154 = load i64, ptr %v59, align 8
  %v155 = getelementptr i8, ptr %v78, i64 %v154
  %v156 = load i64, ptr %v49, align 8
  %v157 = icmp slt i64 %v156, 1
  br i1 %v157, label %v158, label %v159
v159:
  %v160 = phi i64 [ %v161, %v159 ], [ 0, %v118 ]
  %v161 = add nuw nsw i64 %v160, 1
  %v162 = getelementptr i32, ptr %v153, i64 %v160
  store i32 0, ptr %v162, align 4
  %v163 = icmp eq i64 %v156, %v161
  br i1 %v163, label %v158, label %v159
v158:
  %v164 = load i64, ptr %v61, align 8
  %v165 = inttoptr i64 %v164 to ptr
  call void %v165(ptr %v48, ptr %v49, ptr %v56, ptr %v105, ptr %v48, ptr %v107, ptr %v62, ptr %v153, ptr %v63, ptr %v60, ptr %v155, ptr %v64, ptr %v4)
  %v166 = load i32, ptr %v60, align 4
  %v167 = load i64, ptr %v49, align 8
  %v168 = load i64, ptr %v56, align 8
  %v169 = load i64, ptr %v65, align 8
  %v170 = inttoptr i64 %v169 to ptr
  %v171 = load i64, ptr %v66, align 8
  %v172 = mul i64 %v171, %v90
  %v173 = getelementptr i8, ptr %v170, i64 %v172
  %v174 = icmp slt i64 %v168, 1
  br i1 %v174, label %v89, label %v175
v175:
  %v176 = icmp slt i64 %v167, 1
  br label %v177
v178:
  %v179 = icmp eq i64 %v180, %v168
  br i1 %v179, label %v89, label %v177
v177:
  %v181 = phi i64 [ 0, %v175 ], [ %v180, %v178 ]
  %v180 = add nuw nsw i64 %v181, 1
  br i1 %v176, label %v178, label %v182
v182:
  %v183 = mul i64 %v181, %v167
  %v184 = getelementptr float, ptr %v173, i64 %v183
  br label %v185
v185:
  %v186 = phi i64 [ 0, %v182 ], [ %v187, %v185 ]
  %v187 = add nuw nsw i64 %v186, 1
  %v188 = load i64, ptr %v62, align 8
  %v189 = mul i64 %v188, %v181
  %v190 = getelementptr float, ptr %v107, i64 %v189
  %v191 = getelementptr float, ptr %v190, i64 %v186
  %v192 = load float, ptr %v191, align 4
  %v193 = getelementptr float, ptr %v184, i64 %v186
  store float %v192, ptr %v193, align 4
  %v194 = icmp eq i64 %v167, %v187
  br i1 %v194, label %v178, label %v185
v89:
  %v195 = sitofp i32 %v166 to float
  %v196 = mul i64 %v168, %v167
  %v197 = getelementptr float, ptr %v173, i64 %v196
  store float %v195, ptr %v197, align 4
  %v198 = icmp sgt i64 %v87, 1
  br i1 %v198, label %v86, label %v68
v43:
  %v199 = load i64, ptr %v6, align 8
  %v200 = inttoptr i64 %v199 to ptr
  %v201 = getelementptr i8, ptr %v200, i64 152
  %v202 = load i64, ptr %v201, align 8
  %v203 = icmp eq i64 %v202, 0
  br i1 %v203, label %v204, label %v205
v205:
  %v206 = getelementptr i8, ptr %v200, i64 128
  %v207 = load i64, ptr %v206, align 8
  %v208 = inttoptr i64 %v207 to ptr
  call void %v208(ptr %v200)
  %v209 = getelementptr i8, ptr %v200, i64 184
  %v210 = load i64, ptr %v209, align 8
  %v211 = icmp sgt i64 %v210, 0
  br i1 %v211, label %v212, label %v213
v212:
  %v214 = add nsw i64 %v210, -1
  store i64 %v214, ptr %v209, align 8
  %v215 = icmp eq i64 %v214, 0
  br i1 %v215, label %v216, label %v213
v216:
  %v217 = getelementptr i8, ptr %v200, i64 144
  %v218 = load i64, ptr %v217, align 8
  %v219 = inttoptr i64 %v218 to ptr
  %v220 = call i32 %v219()
  %v221 = sext i32 %v220 to i64
  %v222 = getelementptr i8, ptr %v200, i64 176
  %v223 = load i64, ptr %v222, align 8
  %v224 = icmp eq i64 %v223, %v221
  br i1 %v224, label %v225, label %v213
v225:
  %v226 = load i64, ptr %v201, align 8
  %v227 = getelementptr i8, ptr %v200, i64 168
  %v228 = inttoptr i64 %v226 to ptr
  call void %v228(ptr %v227)
  br label %v213
v213:
  %v229 = getelementptr i8, ptr %v200, i64 136
  %v230 = load i64, ptr %v229, align 8
  %v231 = inttoptr i64 %v230 to ptr
  call void %v231(ptr %v200)
  br label %v204
v204:
  ret i32 0
}

define i32 @lstsq_gelsy_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 88
  %v49 = getelementptr i8, ptr %v5, i64 96
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 136
  %v55 = getelementptr i8, ptr %v5, i64 144
  %v56 = getelementptr i8, ptr %v5, i64 104
  %v57 = getelementptr i8, ptr %v5, i64 112
  %v58 = getelementptr i8, ptr %v5, i64 160
  %v59 = getelementptr i8, ptr %v5, i64 152
  %v60 = getelementptr i8, ptr %v4, i64 4
  %v61 = getelementptr i8, ptr %v5, i64 168
  %v62 = getelementptr i8, ptr %v5, i64 112
  %v63 = getelementptr i8, ptr %v5, i64 128
  %v64 = getelementptr i8, ptr %v5, i64 120
  %v65 = getelementptr i8, ptr %v5, i64 72
  %v66 = getelementptr i8, ptr %v5, i64 80
  br label %v67
v68:
  %v69 = icmp sgt i64 %v70, 1
  br i1 %v69, label %v67, label %v43
v67:
  %v70 = phi i64 [ %v41, %v44 ], [ %v71, %v68 ]
  %v72 = phi i64 [ %v1, %v44 ], [ %v73, %v68 ]
  %v71 = add nsw i64 %v70, -1
  %v73 = add i64 %v72, 1
  %v74 = load i64, ptr %v45, align 8
  %v75 = inttoptr i64 %v74 to ptr
  %v76 = load i64, ptr %v46, align 8
  %v77 = mul i64 %v76, %v72
  %v78 = getelementptr i8, ptr %v75, i64 %v77
  %v79 = load i64, ptr %v5, align 8
  %v80 = mul i64 %v79, %v73
  %v81 = load i64, ptr %v47, align 8
  %v82 = call i64 @llvm.smin.i64(i64 %v81, i64 %v80)
  %v83 = mul i64 %v79, %v72
  %v84 = sub i64 %v82, %v83
  %v85 = icmp slt i64 %v84, 1
  br i1 %v85, label %v68, label %v86
v86:
  %v87 = phi i64 [ %v88, %v89 ], [ %v84, %v67 ]
  %v90 = phi i64 [ %v91, %v89 ], [ %v83, %v67 ]
  %v88 = add nsw i64 %v87, -1
  %v91 = add i64 %v90, 1
  %v92 = load i64, ptr %v48, align 8
  %v93 = load i64, ptr %v49, align 8
  %v94 = load i64, ptr %v50, align 8
  %v95 = inttoptr i64 %v94 to ptr
  %v96 = load i64, ptr %v51, align 8
  %v97 = mul i64 %v96, %v90
  %v98 = getelementptr i8, ptr %v95, i64 %v97
  %v99 = load i64, ptr %v52, align 8
  %v100 = inttoptr i64 %v99 to ptr
  %v101 = load i64, ptr %v53, align 8
  %v102 = mul i64 %v101, %v90
  %v103 = getelementptr i8, ptr %v100, i64 %v102
  %v104 = load i64, ptr %v54, align 8
  %v105 = getelementptr i8, ptr %v78, i64 %v104
  %v106 = load i64, ptr %v55, align 8
  %v107 = getelementptr i8, ptr %v78, i64 %v106
  %v108 = icmp slt i64 %v92, 1
  br i1 %v108, label %v109, label %v110
v110:
  %v111 = icmp slt i64 %v93, 1
  br label %v112
v113:
  %v114 = icmp eq i64 %v92, %v115
  br i1 %v114, label %v109, label %v112
v109:
  %v116 = load i64, ptr %v56, align 8
  %v117 = icmp slt i64 %v116, 1
  br i1 %v117, label %v118, label %v119
v119:
  %v120 = icmp slt i64 %v92, 1
  br label %v121
v122:
  %v123 = icmp eq i64 %v124, %v116
  br i1 %v123, label %v118, label %v121
v112:
  %v125 = phi i64 [ 0, %v110 ], [ %v115, %v113 ]
  %v115 = add nuw nsw i64 %v125, 1
  %v126 = getelementptr double, ptr %v105, i64 %v125
  br i1 %v111, label %v113, label %v127
v127:
  %v128 = mul i64 %v125, %v93
  %v129 = getelementptr double, ptr %v98, i64 %v128
  br label %v130
v130:
  %v131 = phi i64 [ 0, %v127 ], [ %v132, %v130 ]
  %v132 = add nuw nsw i64 %v131, 1
  %v133 = getelementptr double, ptr %v129, i64 %v131
  %v134 = load double, ptr %v133, align 8
  %v135 = mul i64 %v131, %v92
  %v136 = getelementptr double, ptr %v126, i64 %v135
  store double %v134, ptr %v136, align 8
  %v137 = icmp eq i64 %v93, %v132
  br i1 %v137, label %v113, label %v130
v121:
  %v138 = phi i64 [ 0, %v119 ], [ %v124, %v122 ]
  %v124 = add nuw nsw i64 %v138, 1
  br i1 %v120, label %v122, label %v139
v139:
  %v140 = mul i64 %v138, %v92
  %v141 = getelementptr double, ptr %v103, i64 %v140
  br label %v142
v142:
  %v143 = phi i64 [ 0, %v139 ], [ %v144, %v142 ]
  %v144 = add nuw nsw i64 %v143, 1
  %v145 = getelementptr double, ptr %v141, i64 %v143
  %v146 = load double, ptr %v145, align 8
  %v147 = load i64, ptr %v57, align 8
  %v148 = mul i64 %v147, %v138
  %v149 = getelementptr double, ptr %v107, i64 %v148
  %v150 = getelementptr double, ptr %v149, i64 %v143
  store double %v146, ptr %v150, align 8
  %v151 = icmp eq i64 %v92, %v144
  br i1 %v151, label %v122, label %v142
v118:
  %v152 = load i64, ptr %v58, align 8
  %v153 = getelementptr i8, ptr %v78, i64 %v152
  %v154 = load i64, ptr %v59, align 8
  %v155 = getelementptr i8, ptr %v78, i64 %v154
  %v156 = load i64, ptr %v49, align 8
  %v157 = icmp slt i64 %v156, 1
  br i1 %v157, label %v158, label %v159
v159:
  %v160 = phi i64 [ %v161, %v159 ], [ 0, %v118 ]
  %v161 = add nuw nsw i64 %v160, 1
  %v162 = getelementptr i32, ptr %v153, i64 %v160
  store i32 0, ptr %v162, align 4
  %v163 = icmp eq i64 %v156, %v161
  br i1 %v163, label %v158, label %v159
v158:
  %v164 = load i64, ptr %v61, align 8
  %v165 = inttoptr i64 %v164 to ptr
  call void %v165(ptr %v48, ptr %v49, ptr %v56, ptr %v105, ptr %v48, ptr %v107, ptr %v62, ptr %v153, ptr %v63, ptr %v60, ptr %v155, ptr %v64, ptr %v4)
  %v166 = load i32, ptr %v60, align 4
  %v167 = load i64, ptr %v49, align 8
  %v168 = load i64, ptr %v56, align 8
  %v169 = load i64, ptr %v65, align 8
  %v170 = inttoptr i64 %v169 to ptr
  %v171 = load i64, ptr %v66, align 8
  %v172 = mul i64 %v171, %v90
  %v173 = getelementptr i8, ptr %v170, i64 %v172
  %v174 = icmp slt i64 %v168, 1
  br i1 %v174, label %v89, label %v175
v175:
  %v176 = icmp slt i64 %v167, 1
  br label %v177
v178:
  %v179 = icmp eq i64 %v180, %v168
  br i1 %v179, label %v89, label %v177
v177:
  %v181 = phi i64 [ 0, %v175 ], [ %v180, %v178 ]
  %v180 = add nuw nsw i64 %v181, 1
  br i1 %v176, label %v178, label %v182
v182:
  %v183 = mul i64 %v181, %v167
  %v184 = getelementptr double, ptr %v173, i64 %v183
  br label %v185
v185:
  %v186 = phi i64 [ 0, %v182 ], [ %v187, %v185 ]
  %v187 = add nuw nsw i64 %v186, 1
  %v188 = load i64, ptr %v62, align 8
  %v189 = mul i64 %v188, %v181
  %v190 = getelementptr double, ptr %v107, i64 %v189
  %v191 = getelementptr double, ptr %v190, i64 %v186
  %v192 = load double, ptr %v191, align 8
  %v193 = getelementptr double, ptr %v184, i64 %v186
  store double %v192, ptr %v193, align 8
  %v194 = icmp eq i64 %v167, %v187
  br i1 %v194, label %v178, label %v185
v89:
  %v195 = sitofp i32 %v166 to double
  %v196 = mul i64 %v168, %v167
  %v197 = getelementptr double, ptr %v173, i64 %v196
  store double %v195, ptr %v197, align 8
  %v198 = icmp sgt i64 %v87, 1
  br i1 %v198, label %v86, label %v68
v43:
  %v199 = load i64, ptr %v6, align 8
  %v200 = inttoptr i64 %v199 to ptr
  %v201 = getelementptr i8, ptr %v200, i64 152
  %v202 = load i64, ptr %v201, align 8
  %v203 = icmp eq i64 %v202, 0
  br i1 %v203, label %v204, label %v205
v205:
  %v206 = getelementptr i8, ptr %v200, i64 128
  %v207 = load i64, ptr %v206, align 8
  %v208 = inttoptr i64 %v207 to ptr
  call void %v208(ptr %v200)
  %v209 = getelementptr i8, ptr %v200, i64 184
  %v210 = load i64, ptr %v209, align 8
  %v211 = icmp sgt i64 %v210, 0
  br i1 %v211, label %v212, label %v213
v212:
  %v214 = add nsw i64 %v210, -1
  store i64 %v214, ptr %v209, align 8
  %v215 = icmp eq i64 %v214, 0
  br i1 %v215, label %v216, label %v213
v216:
  %v217 = getelementptr i8, ptr %v200, i64 144
  %v218 = load i64, ptr %v217, align 8
  %v219 = inttoptr i64 %v218 to ptr
  %v220 = call i32 %v219()
  %v221 = sext i32 %v220 to i64
  %v222 = getelementptr i8, ptr %v200, i64 176
  %v223 = load i64, ptr %v222, align 8
  %v224 = icmp eq i64 %v223, %v221
  br i1 %v224, label %v225, label %v213
v225:
  %v226 = load i64, ptr %v201, align 8
  %v227 = getelementptr i8, ptr %v200, i64 168
  %v228 = inttoptr i64 %v226 to ptr
  call void %v228(ptr %v227)
  br label %v213
v213:
  %v229 = getelementptr i8, ptr %v200, i64 136
  %v230 = load i64, ptr %v229, align 8
  %v231 = inttoptr i64 %v230 to ptr
  call void %v231(ptr %v200)
  br label %v204
v204:
  ret i32 0
}

define i32 @lstsq_gelsd_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 88
  %v49 = getelementptr i8, ptr %v5, i64 96
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 136
  %v55 = getelementptr i8, ptr %v5, i64 144
  %v56 = getelementptr i8, ptr %v5, i64 104
  %v57 = getelementptr i8, ptr %v5, i64 112
  %v58 = getelementptr i8, ptr %v5, i64 152
  %v59 = getelementptr i8, ptr %v5, i64 160
  %v60 = getelementptr i8, ptr %v4, i64 4
  %v61 = getelementptr i8, ptr %v5, i64 72
  %v62 = getelementptr i8, ptr %v5, i64 80
  %v63 = getelementptr i8, ptr %v5, i64 168
  %v64 = getelementptr i8, ptr %v5, i64 112
  %v65 = getelementptr i8, ptr %v5, i64 128
  %v66 = getelementptr i8, ptr %v5, i64 120
  br label %v67
v68:
  %v69 = icmp sgt i64 %v70, 1
  br i1 %v69, label %v67, label %v43
v71:
  %v72 = phi i64 [ %v73, %v67 ], [ %v74, %v75 ]
  %v76 = phi i64 [ %v77, %v67 ], [ %v78, %v75 ]
  %v79 = icmp sgt i64 %v76, 0
  br i1 %v79, label %v80, label %v68
v67:
  %v70 = phi i64 [ %v41, %v44 ], [ %v81, %v68 ]
  %v82 = phi i64 [ %v1, %v44 ], [ %v83, %v68 ]
  %v81 = add nsw i64 %v70, -1
  %v83 = add i64 %v82, 1
  %v84 = load i64, ptr %v45, align 8
  %v85 = inttoptr i64 %v84 to ptr
  %v86 = load i64, ptr %v46, align 8
  %v87 = mul i64 %v86, %v82
  %v88 = getelementptr i8, ptr %v85, i64 %v87
  %v89 = load i64, ptr %v5, align 8
  %v90 = mul i64 %v89, %v83
  %v91 = load i64, ptr %v47, align 8
  %v92 = call i64 @llvm.smin.i64(i64 %v91, i64 %v90)
  %v73 = mul i64 %v89, %v82
  %v93 = sub i64 %v92, %v73
  %v77 = call i64 @llvm.smax.i64(i64 %v93, i64 0)
  br label %v71
v80:
  %v78 = add nsw i64 %v76, -1
  %v74 = add i64 %v72, 1
  %v94 = load i64, ptr %v48, align 8
  %v95 = load i64, ptr %v49, align 8
  %v96 = load i64, ptr %v50, align 8
  %v97 = inttoptr i64 %v96 to ptr
  %v98 = load i64, ptr %v51, align 8
  %v99 = mul i64 %v98, %v72
  %v100 = getelementptr i8, ptr %v97, i64 %v99
  %v101 = load i64, ptr %v52, align 8
  %v102 = inttoptr i64 %v101 to ptr
  %v103 = load i64, ptr %v53, align 8
  %v104 = mul i64 %v103, %v72
  %v105 = getelementptr i8, ptr %v102, i64 %v104
  %v106 = load i64, ptr %v54, align 8
  %v107 = getelementptr i8, ptr %v88, i64 %v106
  %v108 = load i64, ptr %v55, align 8
  %v109 = getelementptr i8, ptr %v88, i64 %v108
  %v110 = icmp slt i64 %v94, 1
  br i1 %v110, label %v111, label %v112
v112:
  %v113 = icmp slt i64 %v95, 1
  br label %v114
v115:
  %v116 = icmp eq i64 %v94, %v117
  br i1 %v116, label %v111, label %v114
v111:
  %v118 = load i64, ptr %v56, align 8
  %v119 = icmp slt i64 %v118, 1
  br i1 %v119, label %v120, label %v121
v121:
  %v122 = icmp slt i64 %v94, 1
  br label %v123
v124:
  %v125 = icmp eq i64 %v126, %v118
  br i1 %v125, label %v120, label %v123
v114:
  %v127 = phi i64 [ 0, %v112 ], [ %v117, %v115 ]
  %v117 = add nuw nsw i64 %v127, 1
  %v128 = getelementptr float, ptr %v107, i64 %v127
  br i1 %v113, label %v115, label %v129
v129:
  %v130 = mul i64 %v127, %v95
  %v131 = getelementptr float, ptr %v100, i64 %v130
  br label %v132
v132:
  %v133 = phi i64 [ 0, %v129 ], [ %v134, %v132 ]
  %v134 = add nuw nsw i64 %v133, 1
  %v135 = getelementptr float, ptr %v131, i64 %v133
  %v136 = load float, ptr %v135, align 4
  %v137 = mul i64 %v133, %v94
  %v138 = getelementptr float, ptr %v128, i64 %v137
  store float %v136, ptr %v138, align 4
  %v139 = icmp eq i64 %v95, %v134
  br i1 %v139, label %v115, label %v132
v123:
  %v140 = phi i64 [ 0, %v121 ], [ %v126, %v124 ]
  %v126 = add nuw nsw i64 %v140, 1
  br i1 %v122, label %v124, label %v141
v141:
  %v142 = mul i64 %v140, %v94
  %v143 = getelementptr float, ptr %v105, i64 %v142
  br label %v144
v144:
  %v145 = phi i64 [ 0, %v141 ], [ %v146, %v144 ]
  %v146 = add nuw nsw i64 %v145, 1
  %v147 = getelementptr float, ptr %v143, i64 %v145
  %v148 = load float, ptr %v147, align 4
  %v149 = load i64, ptr %v57, align 8
  %v150 = mul i64 %v149, %v140
  %v151 = getelementptr float, ptr %v109, i64 %v150
  %v152 = getelementptr float, ptr %v151, i64 %v145
  store float %v148, ptr %v152, align 4
  %v153 = icmp eq i64 %v94, %v146
  br i1 %v153, label %v124, label %v144
v120:
  %v154 = load i64, ptr %v58, align 8
  %v155 = load i64, ptr %v59, align 8
  %v156 = load i64, ptr %v61, align 8
  %v157 = inttoptr i64 %v156 to ptr
  %v158 = load i64, ptr %v62, align 8
  %v159 = mul i64 %v158, %v72
  %v160 = getelementptr i8, ptr %v157, i64 %v159
  %v161 = getelementptr i8, ptr %v88, i64 %v155
  %v162 = getelementptr i8, ptr %v88, i64 %v154
  %v163 = load i64, ptr %v56, align 8
  %v164 = load i64, ptr %v49, align 8
  %v165 = mul i64 %v164, %v163
  %v166 = getelementptr float, ptr %v160, i64 %v165
  %v167 = getelementptr i8, ptr %v166, i64 4
  %v168 = load i64, ptr %v63, align 8
  %v169 = inttoptr i64 %v168 to ptr
  call void %v169(ptr %v48, ptr %v49, ptr %v56, ptr %v107, ptr %v48, ptr %v109, ptr %v64, ptr %v167, ptr %v65, ptr %v60, ptr %v162, ptr %v66, ptr %v161, ptr %v4)
  %v170 = load i32, ptr %v60, align 4
  %v171 = load i64, ptr %v49, align 8
  %v172 = load i64, ptr %v56, align 8
  %v173 = load i64, ptr %v61, align 8
  %v174 = inttoptr i64 %v173 to ptr
  %v175 = load i64, ptr %v62, align 8
  %v176 = mul i64 %v175, %v72
  %v177 = getelementptr i8, ptr %v174, i64 %v176
  %v178 = icmp slt i64 %v172, 1
  br i1 %v178, label %v75, label %v179
v179:
  %v180 = icmp slt i64 %v171, 1
  br label %v181
v182:
  %v183 = icmp eq i64 %v184, %v172
  br i1 %v183, label %v75, label %v181
v181:
  %v185 = phi i64 [ 0, %v179 ], [ %v184, %v182 ]
  %v184 = add nuw nsw i64 %v185, 1
  br i1 %v180, label %v182, label %v186
v186:
  %v187 = mul i64 %v185, %v171
  %v188 = getelementptr float, ptr %v177, i64 %v187
  br label %v189
v189:
  %v190 = phi i64 [ 0, %v186 ], [ %v191, %v189 ]
  %v191 = add nuw nsw i64 %v190, 1
  %v192 = load i64, ptr %v64, align 8
  %v193 = mul i64 %v192, %v185
  %v194 = getelementptr float, ptr %v109, i64 %v193
  %v195 = getelementptr float, ptr %v194, i64 %v190
  %v196 = load float, ptr %v195, align 4
  %v197 = getelementptr float, ptr %v188, i64 %v190
  store float %v196, ptr %v197, align 4
  %v198 = icmp eq i64 %v171, %v191
  br i1 %v198, label %v182, label %v189
v75:
  %v199 = sitofp i32 %v170 to float
  %v200 = mul i64 %v172, %v171
  %v201 = getelementptr float, ptr %v177, i64 %v200
  store float %v199, ptr %v201, align 4
  %v202 = load i32, ptr %v4, align 8
  %v203 = icmp eq i32 %v202, 0
  br i1 %v203, label %v71, label %v43
v43:
  %v204 = phi i32 [ 5, %v75 ], [ 0, %v12 ], [ 0, %v68 ]
  %v205 = load i64, ptr %v6, align 8
  %v206 = inttoptr i64 %v205 to ptr
  %v207 = getelementptr i8, ptr %v206, i64 152
  %v208 = load i64, ptr %v207, align 8
  %v209 = icmp eq i64 %v208, 0
  br i1 %v209, label %v210, label %v211
v211:
  %v212 = getelementptr i8, ptr %v206, i64 128
  %v213 = load i64, ptr %v212, align 8
  %v214 = inttoptr i64 %v213 to ptr
  call void %v214(ptr %v206)
  %v215 = getelementptr i8, ptr %v206, i64 184
  %v216 = load i64, ptr %v215, align 8
  %v217 = icmp sgt i64 %v216, 0
  br i1 %v217, label %v218, label %v219
v218:
  %v220 = add nsw i64 %v216, -1
  store i64 %v220, ptr %v215, align 8
  %v221 = icmp eq i64 %v220, 0
  br i1 %v221, label %v222, label %v219
v222:
  %v223 = getelementptr i8, ptr %v206, i64 144
  %v224 = load i64, ptr %v223, align 8
  %v225 = inttoptr i64 %v224 to ptr
  %v226 = call i32 %v225()
  %v227 = sext i32 %v226 to i64
  %v228 = getelementptr i8, ptr %v206, i64 176
  %v229 = load i64, ptr %v228, align 8
  %v230 = icmp eq i64 %v229, %v227
  br i1 %v230, label %v231, label %v219
v231:
  %v232 = load i64, ptr %v207, align 8
  %v233 = getelementptr i8, ptr %v206, i64 168
  %v234 = inttoptr i64 %v232 to ptr
  call void %v234(ptr %v233)
  br label %v219
v219:
  %v235 = getelementptr i8, ptr %v206, i64 136
  %v236 = load i64, ptr %v235, align 8
  %v237 = inttoptr i64 %v236 to ptr
  call void %v237(ptr %v206)
  br label %v210
v210:
  ret i32 %v204
}

define i32 @lstsq_gelsd_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 88
  %v49 = getelementptr i8, ptr %v5, i64 96
  %v50 = getelementptr i8, ptr %v5, i64 40
  %v51 = getelementptr i8, ptr %v5, i64 48
  %v52 = getelementptr i8, ptr %v5, i64 56
  %v53 = getelementptr i8, ptr %v5, i64 64
  %v54 = getelementptr i8, ptr %v5, i64 136
  %v55 = getelementptr i8, ptr %v5, i64 144
  %v56 = getelementptr i8, ptr %v5, i64 104
  %v57 = getelementptr i8, ptr %v5, i64 112
  %v58 = getelementptr i8, ptr %v5, i64 152
  %v59 = getelementptr i8, ptr %v5, i64 160
  %v60 = getelementptr i8, ptr %v4, i64 4
  %v61 = getelementptr i8, ptr %v5, i64 72
  %v62 = getelementptr i8, ptr %v5, i64 80
  %v63 = getelementptr i8, ptr %v5, i64 168
  %v64 = getelementptr i8, ptr %v5, i64 112
  %v65 = getelementptr i8, ptr %v5, i64 128
  %v66 = getelementptr i8, ptr %v5, i64 120
  br label %v67
v68:
  %v69 = icmp sgt i64 %v70, 1
  br i1 %v69, label %v67, label %v43
v71:
  %v72 = phi i64 [ %v73, %v67 ], [ %v74, %v75 ]
  %v76 = phi i64 [ %v77, %v67 ], [ %v78, %v75 ]
  %v79 = icmp sgt i64 %v76, 0
  br i1 %v79, label %v80, label %v68
v67:
  %v70 = phi i64 [ %v41, %v44 ], [ %v81, %v68 ]
  %v82 = phi i64 [ %v1, %v44 ], [ %v83, %v68 ]
  %v81 = add nsw i64 %v70, -1
  %v83 = add i64 %v82, 1
  %v84 = load i64, ptr %v45, align 8
  %v85 = inttoptr i64 %v84 to ptr
  %v86 = load i64, ptr %v46, align 8
  %v87 = mul i64 %v86, %v82
  %v88 = getelementptr i8, ptr %v85, i64 %v87
  %v89 = load i64, ptr %v5, align 8
  %v90 = mul i64 %v89, %v83
  %v91 = load i64, ptr %v47, align 8
  %v92 = call i64 @llvm.smin.i64(i64 %v91, i64 %v90)
  %v73 = mul i64 %v89, %v82
  %v93 = sub i64 %v92, %v73
  %v77 = call i64 @llvm.smax.i64(i64 %v93, i64 0)
  br label %v71
v80:
  %v78 = add nsw i64 %v76, -1
  %v74 = add i64 %v72, 1
  %v94 = load i64, ptr %v48, align 8
  %v95 = load i64, ptr %v49, align 8
  %v96 = load i64, ptr %v50, align 8
  %v97 = inttoptr i64 %v96 to ptr
  %v98 = load i64, ptr %v51, align 8
  %v99 = mul i64 %v98, %v72
  %v100 = getelementptr i8, ptr %v97, i64 %v99
  %v101 = load i64, ptr %v52, align 8
  %v102 = inttoptr i64 %v101 to ptr
  %v103 = load i64, ptr %v53, align 8
  %v104 = mul i64 %v103, %v72
  %v105 = getelementptr i8, ptr %v102, i64 %v104
  %v106 = load i64, ptr %v54, align 8
  %v107 = getelementptr i8, ptr %v88, i64 %v106
  %v108 = load i64, ptr %v55, align 8
  %v109 = getelementptr i8, ptr %v88, i64 %v108
  %v110 = icmp slt i64 %v94, 1
  br i1 %v110, label %v111, label %v112
v112:
  %v113 = icmp slt i64 %v95, 1
  br label %v114
v115:
  %v116 = icmp eq i64 %v94, %v117
  br i1 %v116, label %v111, label %v114
v111:
  %v118 = load i64, ptr %v56, align 8
  %v119 = icmp slt i64 %v118, 1
  br i1 %v119, label %v120, label %v121
v121:
  %v122 = icmp slt i64 %v94, 1
  br label %v123
v124:
  %v125 = icmp eq i64 %v126, %v118
  br i1 %v125, label %v120, label %v123
v114:
  %v127 = phi i64 [ 0, %v112 ], [ %v117, %v115 ]
  %v117 = add nuw nsw i64 %v127, 1
  %v128 = getelementptr double, ptr %v107, i64 %v127
  br i1 %v113, label %v115, label %v129
v129:
  %v130 = mul i64 %v127, %v95
  %v131 = getelementptr double, ptr %v100, i64 %v130
  br label %v132
v132:
  %v133 = phi i64 [ 0, %v129 ], [ %v134, %v132 ]
  %v134 = add nuw nsw i64 %v133, 1
  %v135 = getelementptr double, ptr %v131, i64 %v133
  %v136 = load double, ptr %v135, align 8
  %v137 = mul i64 %v133, %v94
  %v138 = getelementptr double, ptr %v128, i64 %v137
  store double %v136, ptr %v138, align 8
  %v139 = icmp eq i64 %v95, %v134
  br i1 %v139, label %v115, label %v132
v123:
  %v140 = phi i64 [ 0, %v121 ], [ %v126, %v124 ]
  %v126 = add nuw nsw i64 %v140, 1
  br i1 %v122, label %v124, label %v141
v141:
  %v142 = mul i64 %v140, %v94
  %v143 = getelementptr double, ptr %v105, i64 %v142
  br label %v144
v144:
  %v145 = phi i64 [ 0, %v141 ], [ %v146, %v144 ]
  %v146 = add nuw nsw i64 %v145, 1
  %v147 = getelementptr double, ptr %v143, i64 %v145
  %v148 = load double, ptr %v147, align 8
  %v149 = load i64, ptr %v57, align 8
  %v150 = mul i64 %v149, %v140
  %v151 = getelementptr double, ptr %v109, i64 %v150
  %v152 = getelementptr double, ptr %v151, i64 %v145
  store double %v148, ptr %v152, align 8
  %v153 = icmp eq i64 %v94, %v146
  br i1 %v153, label %v124, label %v144
v120:
  %v154 = load i64, ptr %v58, align 8
  %v155 = load i64, ptr %v59, align 8
  %v156 = load i64, ptr %v61, align 8
  %v157 = inttoptr i64 %v156 to ptr
  %v158 = load i64, ptr %v62, align 8
  %v159 = mul i64 %v158, %v72
  %v160 = getelementptr i8, ptr %v157, i64 %v159
  %v161 = getelementptr i8, ptr %v88, i64 %v155
  %v162 = getelementptr i8, ptr %v88, i64 %v154
  %v163 = load i64, ptr %v56, align 8
  %v164 = load i64, ptr %v49, align 8
  %v165 = mul i64 %v164, %v163
  %v166 = getelementptr double, ptr %v160, i64 %v165
  %v167 = getelementptr i8, ptr %v166, i64 8
  %v168 = load i64, ptr %v63, align 8
  %v169 = inttoptr i64 %v168 to ptr
  call void %v169(ptr %v48, ptr %v49, ptr %v56, ptr %v107, ptr %v48, ptr %v109, ptr %v64, ptr %v167, ptr %v65, ptr %v60, ptr %v162, ptr %v66, ptr %v161, ptr %v4)
  %v170 = load i32, ptr %v60, align 4
  %v171 = load i64, ptr %v49, align 8
  %v172 = load i64, ptr %v56, align 8
  %v173 = load i64, ptr %v61, align 8
  %v174 = inttoptr i64 %v173 to ptr
  %v175 = load i64, ptr %v62, align 8
  %v176 = mul i64 %v175, %v72
  %v177 = getelementptr i8, ptr %v174, i64 %v176
  %v178 = icmp slt i64 %v172, 1
  br i1 %v178, label %v75, label %v179
v179:
  %v180 = icmp slt i64 %v171, 1
  br label %v181
v182:
  %v183 = icmp eq i64 %v184, %v172
  br i1 %v183, label %v75, label %v181
v181:
  %v185 = phi i64 [ 0, %v179 ], [ %v184, %v182 ]
  %v184 = add nuw nsw i64 %v185, 1
  br i1 %v180, label %v182, label %v186
v186:
  %v187 = mul i64 %v185, %v171
  %v188 = getelementptr double, ptr %v177, i64 %v187
  br label %v189
v189:
  %v190 = phi i64 [ 0, %v186 ], [ %v191, %v189 ]
  %v191 = add nuw nsw i64 %v190, 1
  %v192 = load i64, ptr %v64, align 8
  %v193 = mul i64 %v192, %v185
  %v194 = getelementptr double, ptr %v109, i64 %v193
  %v195 = getelementptr double, ptr %v194, i64 %v190
  %v196 = load double, ptr %v195, align 8
  %v197 = getelementptr double, ptr %v188, i64 %v190
  store double %v196, ptr %v197, align 8
  %v198 = icmp eq i64 %v171, %v191
  br i1 %v198, label %v182, label %v189
v75:
  %v199 = sitofp i32 %v170 to double
  %v200 = mul i64 %v172, %v171
  %v201 = getelementptr double, ptr %v177, i64 %v200
  store double %v199, ptr %v201, align 8
  %v202 = load i32, ptr %v4, align 8
  %v203 = icmp eq i32 %v202, 0
  br i1 %v203, label %v71, label %v43
v43:
  %v204 = phi i32 [ 5, %v75 ], [ 0, %v12 ], [ 0, %v68 ]
  %v205 = load i64, ptr %v6, align 8
  %v206 = inttoptr i64 %v205 to ptr
  %v207 = getelementptr i8, ptr %v206, i64 152
  %v208 = load i64, ptr %v207, align 8
  %v209 = icmp eq i64 %v208, 0
  br i1 %v209, label %v210, label %v211
v211:
  %v212 = getelementptr i8, ptr %v206, i64 128
  %v213 = load i64, ptr %v212, align 8
  %v214 = inttoptr i64 %v213 to ptr
  call void %v214(ptr %v206)
  %v215 = getelementptr i8, ptr %v206, i64 184
  %v216 = load i64, ptr %v215, align 8
  %v217 = icmp sgt i64 %v216, 0
  br i1 %v217, label %v218, label %v219
v218:
  %v220 = add nsw i64 %v216, -1
  store i64 %v220, ptr %v215, align 8
  %v221 = icmp eq i64 %v220, 0
  br i1 %v221, label %v222, label %v219
v222:
  %v223 = getelementptr i8, ptr %v206, i64 144
  %v224 = load i64, ptr %v223, align 8
  %v225 = inttoptr i64 %v224 to ptr
  %v226 = call i32 %v225()
  %v227 = sext i32 %v226 to i64
  %v228 = getelementptr i8, ptr %v206, i64 176
  %v229 = load i64, ptr %v228, align 8
  %v230 = icmp eq i64 %v229, %v227
  br i1 %v230, label %v231, label %v219
v231:
  %v232 = load i64, ptr %v207, align 8
  %v233 = getelementptr i8, ptr %v206, i64 168
  %v234 = inttoptr i64 %v232 to ptr
  call void %v234(ptr %v233)
  br label %v219
v219:
  %v235 = getelementptr i8, ptr %v206, i64 136
  %v236 = load i64, ptr %v235, align 8
  %v237 = inttoptr i64 %v236 to ptr
  call void %v237(ptr %v206)
  br label %v210
v210:
  ret i32 %v204
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
  %v17 = getelementptr i8, ptr %v8, i64 184
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
  %v31 = load i64, ptr %v22, align 8
  %v32 = inttoptr i64 %v31 to ptr
  %v33 = call i32 %v32()
  %v34 = sext i32 %v33 to i64
  %v35 = getelementptr i8, ptr %v8, i64 176
  store i64 %v34, ptr %v35, align 8
  br label %v21
v21:
  %v36 = load i64, ptr %v17, align 8
  %v37 = add i64 %v36, 1
  store i64 %v37, ptr %v17, align 8
  %v38 = getelementptr i8, ptr %v8, i64 136
  %v39 = load i64, ptr %v38, align 8
  %v40 = inttoptr i64 %v39 to ptr
  call void %v40(ptr %v8)
  br label %v12
v12:
  store i32 0, ptr %v4, align 8
  %v41 = sub i64 %v2, %v1
  %v42 = icmp slt i64 %v41, 1
  br i1 %v42, label %v43, label %v44
v44:
  %v45 = getelementptr i8, ptr %v5, i64 32
  %v46 = getelementptr i8, ptr %v5, i64 16
  %v47 = getelementptr i8, ptr %v5, i64 8
  %v48 = getelementptr i8, ptr %v5, i64 40
  %v49 = getelementptr i8, ptr %v5, i64 48
  %v50 = getelementptr i8, ptr %v5, i64 128
  %v51 = getelementptr i8, ptr %v5, i64 72
  %v52 = getelementptr i8, ptr %v5, i64 80
  %v53 = getelementptr i8, ptr %v5, i64 56
  %v54 = getelementptr i8, ptr %v5, i64 64
  %v55 = getelementptr i8, ptr %v5, i64 136
  %v56 = getelementptr i8, ptr %v5, i64 144
  %v57 = getelementptr i8, ptr %v5, i64 96
  %v58 = getelementptr i8, ptr %v5, i64 112
  %v59 = getelementptr i8, ptr %v5, i64 152
  %v60 = getelementptr i8, ptr %v5, i64 88
  %v61 = getelementptr i8, ptr %v5, i64 104
  %v62 = getelementptr i8, ptr %v5, i64 120
  br label %v63
v64:
  %v65 = icmp sgt i64 %v66, 1
  br i1 %v65, label %v63, label %v43
v67:
  %v68 = phi i64 [ %v69, %v63 ], [ %v70, %v71 ]
  %v72 = phi i64 [ %v73, %v63 ], [ %v74, %v71 ]
  %v75 = icmp sgt i64 %v68, 0
  br i1 %v75, label %v76, label %v64
v63:
  %v77 = phi i64 [ %v1, %v44 ], [ %v78, %v64 ]
  %v66 = phi i64 [ %v41, %v44 ], [ %v79, %v64 ]
  %v79 = add nsw i64 %v66, -1
  %v78 = add i64 %v77, 1
  %v80 = load i64, ptr %v45, align 8
  %v81 = inttoptr i64 %v80 to ptr
  %v82 = load i64, ptr %v46, align 8
  %v83 = mul i64 %v82, %v77
  %v84 = getelementptr i8, ptr %v81, i64 %v83
  %v85 = load i64, ptr %v5, align 8
  %v86 = mul i64 %v85, %v78
  %v87 = load i64, ptr %v47, align 8
  %v88 = call i64 @llvm.smin.i64(i64 %v87, i64 %v86)
  %v73 = mul i64 %v85, %v77
  %v89 = sub i64 %v88, %v73
  %v69 = call i64 @llvm.smax.i64(i64 %v89, i64 0)
  br label %v67
v76:
  %v70 = add nsw i64 %v68, -1
  %v74 = add i64 %v72, 1
  %v90 = load i64, ptr %v48, align 8
  %v91 = inttoptr i64 %v90 to ptr
  %v92 = load i64, ptr %v49, align 8
  %v93 = mul i64 %v92, %v72
  %v94 = getelementptr i8, ptr %v91, i64 %v93
  %v95 = load i64, ptr %v50, align 8
  %v96 = getelementptr i8, ptr %v84, i64 %v95
  %v97 = load i64, ptr %v51, align 8
  %v98 = load i64, ptr %v52, align 8
  %v99 = mul i64 %v98, %v97
  %v100 = icmp slt i64 %v99, 1
  br i1 %v100, label %v71, label %v101
v101:
  %v102 = phi i64 [ %v103, %v101 ], [ 0, %v76 ]
  %v103 = add nuw nsw i64 %v102, 1
  %v104 = getelementptr float, ptr %v94, i64 %v102
  %v105 = load float, ptr %v104, align 4
  %v106 = getelementptr float, ptr %v96, i64 %v102
  store float %v105, ptr %v106, align 4
  %v107 = icmp eq i64 %v99, %v103
  br i1 %v107, label %v71, label %v101
v71:
  %v108 = load i64, ptr %v53, align 8
  %v109 = inttoptr i64 %v108 to ptr
  %v110 = load i64, ptr %v54, align 8
  %v111 = mul i64 %v110, %v72
  %v112 = getelementptr i8, ptr %v109, i64 %v111
  %v113 = load i64, ptr %v55, align 8
  %v114 = getelementptr i8, ptr %v84, i64 %v113
  %v115 = load i64, ptr %v56, align 8
  %v116 = getelementptr i8, ptr %v84, i64 %v115
  %v117 = load i64, ptr %v57, align 8
  %v118 = getelementptr float, ptr %v112, i64 %v117
  %v119 = load i64, ptr %v58, align 8
  %v120 = getelementptr float, ptr %v118, i64 %v119
  %v121 = load i64, ptr %v59, align 8
  %v122 = inttoptr i64 %v121 to ptr
  call void %v122(ptr %v60, ptr %v52, ptr %v51, ptr %v96, ptr %v52, ptr %v112, ptr %v120, ptr %v52, ptr %v118, ptr %v61, ptr %v114, ptr %v62, ptr %v116, ptr %v4)
  %v123 = load i32, ptr %v4, align 8
  %v124 = icmp eq i32 %v123, 0
  br i1 %v124, label %v67, label %v43
v43:
  %v125 = phi i32 [ 5, %v71 ], [ 0, %v12 ], [ 0, %v64 ]
  %v126 = load i64, ptr %v6, align 8
  %v127 = inttoptr i64 %v126 to ptr
  %v128 = getelementptr i8, ptr %v127, i64 152
  %v129 = load i64, ptr %v128, align 8
  %v130 = icmp eq i64 %v129, 0
  br i1 %v130, label %v131, label %v132
v132:
  %v133 = getelementptr i8, ptr %v127, i64 128
  %v134 = load i64, ptr %v133, align 8
  %v135 = inttoptr i64 %v134 to ptr
  call void %v135(ptr %v127)
  %v136 = getelementptr i8, ptr %v127, i64 184
  %v137 = load i64, ptr %v136, align 8
  %v138 = icmp sgt i64 %v137, 0
  br i1 %v138, label %v139, label %v140
v139:
  %v141 = add nsw i64 %v137, -1
  store i64 %v141, ptr %v136, align 8
  %v142 = icmp eq i64 %v141, 0
  br i1 %v142, label %v143, label %v140
v143:
  %v144 = getelementptr i8, ptr %v127, i64 144
  %v145 = load i64, ptr %v144, align 8
  %v146 = inttoptr i64 %v145 to ptr
  %v147 = call i32 %v146()
  %v148 = sext i32 %v147 to i64
  %v149 = getelementptr i8, ptr %v127, i64 176
  %v150 = load i64, ptr %v149, align 8
  %v151 = icmp eq i64 %v150, %v148
  br i1 %v151, label %v152, label %v140
v152:
  %v153 = load i64, ptr %v128, align 8
  %v154 = getelementptr i8, ptr %v127, i64 168
  %v155 = inttoptr i64 %v153 to ptr
  call void %v155(ptr %v154)
  br label %v140
v140:
  %v156 = getelementptr i8, ptr %v127, i64 136
  %v157 = load i64, ptr %v156, align 8
  %v158 = inttoptr i64 %v157 to ptr
  call void %v158(ptr %v127)
  br label %v131
v131:
  ret i32 %v125
}

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)
