; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @order_int32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [1024 x i64], align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = load i64, ptr %v5, align 8
  %v7 = ptrtoint ptr %v4 to i64
  %v8 = sub i64 %v2, %v1
  %v9 = icmp slt i64 %v8, 1
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = getelementptr i8, ptr %v5, i64 8
  %v13 = getelementptr i8, ptr %v5, i64 16
  %v14 = getelementptr i8, ptr %v5, i64 24
  %v15 = icmp slt i64 %v6, 1
  %v16 = icmp slt i64 %v6, 49
  %v17 = icmp sgt i64 %v6, 0
  %v18 = icmp sgt i64 %v6, 0
  %v19 = add i64 %v6, -1
  %v20 = call i64 @llvm.smax.i64(i64 %v19, i64 0)
  %v21 = icmp slt i64 %v19, 1
  %v22 = icmp slt i64 %v6, 1
  br label %v23
v24:
  %v25 = icmp sgt i64 %v26, 1
  br i1 %v25, label %v23, label %v10
v27:
  br i1 %v21, label %v28, label %v29
v29:
  %v30 = inttoptr i64 %v31 to ptr
  br label %v32
v33:
  %v34 = phi i64 [ %v35, %v36 ], [ %v37, %v32 ]
  %v35 = add nsw i64 %v34, -1
  %v38 = getelementptr i64, ptr %v30, i64 %v35
  %v39 = load i64, ptr %v38, align 8
  %v40 = getelementptr i64, ptr %v30, i64 %v34
  store i64 %v39, ptr %v40, align 8
  %v41 = icmp sgt i64 %v34, 1
  br i1 %v41, label %v36, label %v42
v36:
  %v43 = getelementptr i64, ptr %v30, i64 %v34
  %v44 = getelementptr i8, ptr %v43, i64 -16
  %v45 = load i64, ptr %v44, align 8
  %v46 = lshr i64 %v45, 32
  %v47 = icmp ugt i64 %v46, %v48
  br i1 %v47, label %v33, label %v42
v42:
  %v49 = phi i64 [ %v37, %v32 ], [ %v35, %v36 ], [ 0, %v33 ]
  %v50 = getelementptr i64, ptr %v30, i64 %v49
  store i64 %v51, ptr %v50, align 8
  %v52 = icmp eq i64 %v37, %v20
  br i1 %v52, label %v28, label %v32
v32:
  %v37 = phi i64 [ 1, %v29 ], [ %v53, %v42 ]
  %v53 = add nuw i64 %v37, 1
  %v54 = getelementptr i64, ptr %v30, i64 %v37
  %v51 = load i64, ptr %v54, align 8
  %v55 = getelementptr i64, ptr %v30, i64 %v37
  %v56 = getelementptr i8, ptr %v55, i64 -8
  %v57 = load i64, ptr %v56, align 8
  %v58 = lshr i64 %v57, 32
  %v48 = lshr i64 %v51, 32
  %v59 = icmp ugt i64 %v58, %v48
  br i1 %v59, label %v33, label %v42
v60:
  br i1 %v17, label %v61, label %v62
v61:
  %v63 = inttoptr i64 %v31 to ptr
  br label %v64
v65:
  %v66 = phi i64 [ %v67, %v65 ], [ 0, %v68 ]
  %v67 = add nuw nsw i64 %v66, 1
  %v69 = getelementptr i64, ptr %v4, i64 %v66
  store i64 0, ptr %v69, align 8
  %v70 = icmp eq i64 %v67, 1024
  br i1 %v70, label %v60, label %v65
v64:
  %v71 = phi i64 [ 0, %v61 ], [ %v72, %v64 ]
  %v72 = add nuw nsw i64 %v71, 1
  %v73 = getelementptr i64, ptr %v63, i64 %v71
  %v74 = load i64, ptr %v73, align 8
  %v75 = lshr i64 %v74, 32
  %v76 = and i64 %v75, 255
  %v77 = getelementptr i64, ptr %v4, i64 %v76
  %v78 = load i64, ptr %v77, align 8
  %v79 = add i64 %v78, 1
  store i64 %v79, ptr %v77, align 8
  %v80 = lshr i64 %v74, 40
  %v81 = and i64 %v80, 255
  %v82 = getelementptr i64, ptr %v4, i64 %v81
  %v83 = getelementptr i8, ptr %v82, i64 2048
  %v84 = load i64, ptr %v83, align 8
  %v85 = add i64 %v84, 1
  store i64 %v85, ptr %v83, align 8
  %v86 = lshr i64 %v74, 48
  %v87 = and i64 %v86, 255
  %v88 = getelementptr i64, ptr %v4, i64 %v87
  %v89 = getelementptr i8, ptr %v88, i64 4096
  %v90 = load i64, ptr %v89, align 8
  %v91 = add i64 %v90, 1
  store i64 %v91, ptr %v89, align 8
  %v92 = lshr i64 %v74, 56
  %v93 = getelementptr i64, ptr %v4, i64 %v92
  %v94 = getelementptr i8, ptr %v93, i64 6144
  %v95 = load i64, ptr %v94, align 8
  %v96 = add i64 %v95, 1
  store i64 %v96, ptr %v94, align 8
  %v97 = icmp eq i64 %v72, %v6
  br i1 %v97, label %v62, label %v64
v62:
  br label %v98
v99:
  br i1 %v18, label %v100, label %v101
v100:
  %v102 = inttoptr i64 %v103 to ptr
  br label %v104
v105:
  %v106 = phi i64 [ %v107, %v105 ], [ 0, %v98 ]
  %v108 = phi i64 [ %v109, %v105 ], [ 0, %v98 ]
  %v109 = add nuw nsw i64 %v108, 1
  %v110 = getelementptr i64, ptr %v111, i64 %v108
  %v112 = load i64, ptr %v110, align 8
  store i64 %v106, ptr %v110, align 8
  %v107 = add i64 %v112, %v106
  %v113 = icmp eq i64 %v109, 256
  br i1 %v113, label %v99, label %v105
v104:
  %v114 = phi i64 [ 0, %v100 ], [ %v115, %v104 ]
  %v115 = add nuw nsw i64 %v114, 1
  %v116 = getelementptr i64, ptr %v117, i64 %v114
  %v118 = load i64, ptr %v116, align 8
  %v119 = ashr i64 %v118, %v120
  %v121 = and i64 %v119, 255
  %v122 = getelementptr i64, ptr %v111, i64 %v121
  %v123 = load i64, ptr %v122, align 8
  %v124 = add i64 %v123, 1
  store i64 %v124, ptr %v122, align 8
  %v125 = getelementptr i64, ptr %v102, i64 %v123
  store i64 %v118, ptr %v125, align 8
  %v126 = icmp eq i64 %v115, %v6
  br i1 %v126, label %v101, label %v104
v101:
  %v127 = phi i64 [ %v103, %v98 ], [ %v128, %v99 ], [ %v128, %v104 ]
  %v129 = phi i64 [ %v128, %v98 ], [ %v103, %v99 ], [ %v103, %v104 ]
  %v130 = icmp eq i64 %v131, 4
  br i1 %v130, label %v28, label %v98
v132:
  %v133 = inttoptr i64 %v134 to ptr
  %v135 = inttoptr i64 %v31 to ptr
  br label %v136
v28:
  %v134 = phi i64 [ %v31, %v27 ], [ %v31, %v42 ], [ %v129, %v101 ]
  %v137 = add nsw i64 %v26, -1
  %v138 = add i64 %v139, 1
  br i1 %v22, label %v24, label %v132
v23:
  %v26 = phi i64 [ %v8, %v11 ], [ %v137, %v24 ]
  %v139 = phi i64 [ %v1, %v11 ], [ %v138, %v24 ]
  %v140 = mul i64 %v139, %v6
  %v141 = load i64, ptr %v12, align 8
  %v142 = inttoptr i64 %v141 to ptr
  %v143 = getelementptr i32, ptr %v142, i64 %v140
  %v144 = load i64, ptr %v13, align 8
  %v145 = shl i64 %v140, 3
  %v31 = add i64 %v144, %v145
  %v146 = load i64, ptr %v14, align 8
  %v147 = add i64 %v146, %v145
  br i1 %v15, label %v68, label %v148
v148:
  %v149 = inttoptr i64 %v31 to ptr
  br label %v150
v150:
  %v151 = phi i64 [ 0, %v148 ], [ %v152, %v150 ]
  %v152 = add nuw nsw i64 %v151, 1
  %v153 = getelementptr i32, ptr %v143, i64 %v151
  %v154 = load i32, ptr %v153, align 4
  %v155 = xor i32 %v154, -2147483648
  %v156 = sext i32 %v155 to i64
  %v157 = shl nsw i64 %v156, 32
  %v158 = or i64 %v157, %v151
  %v159 = getelementptr i64, ptr %v149, i64 %v151
  store i64 %v158, ptr %v159, align 8
  %v160 = icmp eq i64 %v6, %v152
  br i1 %v160, label %v68, label %v150
v68:
  br i1 %v16, label %v27, label %v65
v98:
  %v128 = phi i64 [ %v129, %v101 ], [ %v31, %v62 ]
  %v103 = phi i64 [ %v127, %v101 ], [ %v147, %v62 ]
  %v161 = phi i64 [ %v131, %v101 ], [ 0, %v62 ]
  %v131 = add nuw nsw i64 %v161, 1
  %v162 = shl i64 %v161, 11
  %v163 = add nuw i64 %v162, %v7
  %v117 = inttoptr i64 %v128 to ptr
  %v164 = load i64, ptr %v117, align 8
  %v165 = shl i64 %v161, 3
  %v120 = add nuw nsw i64 %v165, 32
  %v166 = ashr i64 %v164, %v120
  %v167 = and i64 %v166, 255
  %v111 = inttoptr i64 %v163 to ptr
  %v168 = getelementptr i64, ptr %v111, i64 %v167
  %v169 = load i64, ptr %v168, align 8
  %v170 = icmp eq i64 %v169, %v6
  br i1 %v170, label %v101, label %v105
v136:
  %v171 = phi i64 [ 0, %v132 ], [ %v172, %v136 ]
  %v172 = add nuw nsw i64 %v171, 1
  %v173 = getelementptr i64, ptr %v133, i64 %v171
  %v174 = load i64, ptr %v173, align 8
  %v175 = and i64 %v174, 4294967295
  %v176 = getelementptr i64, ptr %v135, i64 %v171
  store i64 %v175, ptr %v176, align 8
  %v177 = icmp eq i64 %v6, %v172
  br i1 %v177, label %v24, label %v136
v10:
  ret i32 0
}

define i32 @order_int64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [1024 x i64], align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = load i64, ptr %v5, align 8
  %v7 = ptrtoint ptr %v4 to i64
  %v8 = sub i64 %v2, %v1
  %v9 = icmp slt i64 %v8, 1
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = shl i64 %v6, 3
  %v13 = getelementptr i8, ptr %v5, i64 8
  %v14 = getelementptr i8, ptr %v5, i64 16
  %v15 = getelementptr i8, ptr %v5, i64 24
  %v16 = icmp slt i64 %v6, 1
  %v17 = icmp slt i64 %v6, 49
  %v18 = icmp sgt i64 %v6, 0
  %v19 = icmp sgt i64 %v6, 0
  %v20 = add i64 %v6, -1
  %v21 = call i64 @llvm.smax.i64(i64 %v20, i64 0)
  %v22 = icmp slt i64 %v20, 1
  %v23 = icmp slt i64 %v6, 1
  br label %v24
v25:
  %v26 = icmp sgt i64 %v27, 1
  br i1 %v26, label %v24, label %v10
v28:
  br i1 %v22, label %v29, label %v30
v30:
  %v31 = inttoptr i64 %v32 to ptr
  br label %v33
v34:
  %v35 = phi i64 [ %v36, %v37 ], [ %v38, %v33 ]
  %v36 = add nsw i64 %v35, -1
  %v39 = getelementptr i64, ptr %v31, i64 %v36
  %v40 = load i64, ptr %v39, align 8
  %v41 = getelementptr i64, ptr %v31, i64 %v35
  store i64 %v40, ptr %v41, align 8
  %v42 = icmp sgt i64 %v35, 1
  br i1 %v42, label %v37, label %v43
v37:
  %v44 = getelementptr i64, ptr %v31, i64 %v35
  %v45 = getelementptr i8, ptr %v44, i64 -16
  %v46 = load i64, ptr %v45, align 8
  %v47 = lshr i64 %v46, 32
  %v48 = icmp ugt i64 %v47, %v49
  br i1 %v48, label %v34, label %v43
v43:
  %v50 = phi i64 [ %v38, %v33 ], [ %v36, %v37 ], [ 0, %v34 ]
  %v51 = getelementptr i64, ptr %v31, i64 %v50
  store i64 %v52, ptr %v51, align 8
  %v53 = icmp eq i64 %v38, %v21
  br i1 %v53, label %v29, label %v33
v33:
  %v38 = phi i64 [ 1, %v30 ], [ %v54, %v43 ]
  %v54 = add nuw i64 %v38, 1
  %v55 = getelementptr i64, ptr %v31, i64 %v38
  %v52 = load i64, ptr %v55, align 8
  %v56 = getelementptr i64, ptr %v31, i64 %v38
  %v57 = getelementptr i8, ptr %v56, i64 -8
  %v58 = load i64, ptr %v57, align 8
  %v59 = lshr i64 %v58, 32
  %v49 = lshr i64 %v52, 32
  %v60 = icmp ugt i64 %v59, %v49
  br i1 %v60, label %v34, label %v43
v61:
  br i1 %v18, label %v62, label %v63
v62:
  %v64 = inttoptr i64 %v32 to ptr
  br label %v65
v66:
  %v67 = phi i64 [ %v68, %v66 ], [ 0, %v69 ]
  %v68 = add nuw nsw i64 %v67, 1
  %v70 = getelementptr i64, ptr %v4, i64 %v67
  store i64 0, ptr %v70, align 8
  %v71 = icmp eq i64 %v68, 1024
  br i1 %v71, label %v61, label %v66
v65:
  %v72 = phi i64 [ 0, %v62 ], [ %v73, %v65 ]
  %v73 = add nuw nsw i64 %v72, 1
  %v74 = getelementptr i64, ptr %v64, i64 %v72
  %v75 = load i64, ptr %v74, align 8
  %v76 = lshr i64 %v75, 32
  %v77 = and i64 %v76, 255
  %v78 = getelementptr i64, ptr %v4, i64 %v77
  %v79 = load i64, ptr %v78, align 8
  %v80 = add i64 %v79, 1
  store i64 %v80, ptr %v78, align 8
  %v81 = lshr i64 %v75, 40
  %v82 = and i64 %v81, 255
  %v83 = getelementptr i64, ptr %v4, i64 %v82
  %v84 = getelementptr i8, ptr %v83, i64 2048
  %v85 = load i64, ptr %v84, align 8
  %v86 = add i64 %v85, 1
  store i64 %v86, ptr %v84, align 8
  %v87 = lshr i64 %v75, 48
  %v88 = and i64 %v87, 255
  %v89 = getelementptr i64, ptr %v4, i64 %v88
  %v90 = getelementptr i8, ptr %v89, i64 4096
  %v91 = load i64, ptr %v90, align 8
  %v92 = add i64 %v91, 1
  store i64 %v92, ptr %v90, align 8
  %v93 = lshr i64 %v75, 56
  %v94 = getelementptr i64, ptr %v4, i64 %v93
  %v95 = getelementptr i8, ptr %v94, i64 6144
  %v96 = load i64, ptr %v95, align 8
  %v97 = add i64 %v96, 1
  store i64 %v97, ptr %v95, align 8
  %v98 = icmp eq i64 %v73, %v6
  br i1 %v98, label %v63, label %v65
v63:
  br label %v99
v100:
  br i1 %v19, label %v101, label %v102
v101:
  %v103 = inttoptr i64 %v104 to ptr
  br label %v105
v106:
  %v107 = phi i64 [ %v108, %v106 ], [ 0, %v99 ]
  %v109 = phi i64 [ %v110, %v106 ], [ 0, %v99 ]
  %v110 = add nuw nsw i64 %v109, 1
  %v111 = getelementptr i64, ptr %v112, i64 %v109
  %v113 = load i64, ptr %v111, align 8
  store i64 %v107, ptr %v111, align 8
  %v108 = add i64 %v113, %v107
  %v114 = icmp eq i64 %v110, 256
  br i1 %v114, label %v100, label %v106
v105:
  %v115 = phi i64 [ 0, %v101 ], [ %v116, %v105 ]
  %v116 = add nuw nsw i64 %v115, 1
  %v117 = getelementptr i64, ptr %v118, i64 %v115
  %v119 = load i64, ptr %v117, align 8
  %v120 = ashr i64 %v119, %v121
  %v122 = and i64 %v120, 255
  %v123 = getelementptr i64, ptr %v112, i64 %v122
  %v124 = load i64, ptr %v123, align 8
  %v125 = add i64 %v124, 1
  store i64 %v125, ptr %v123, align 8
  %v126 = getelementptr i64, ptr %v103, i64 %v124
  store i64 %v119, ptr %v126, align 8
  %v127 = icmp eq i64 %v116, %v6
  br i1 %v127, label %v102, label %v105
v102:
  %v128 = phi i64 [ %v104, %v99 ], [ %v129, %v100 ], [ %v129, %v105 ]
  %v130 = phi i64 [ %v129, %v99 ], [ %v104, %v100 ], [ %v104, %v105 ]
  %v131 = icmp eq i64 %v132, 4
  br i1 %v131, label %v29, label %v99
v133:
  %v134 = add nsw i64 %v27, -1
  %v135 = add i64 %v136, 1
  br i1 %v23, label %v25, label %v137
v137:
  %v138 = inttoptr i64 %v139 to ptr
  %v140 = inttoptr i64 %v141 to ptr
  br label %v142
v29:
  %v143 = phi i64 [ %v144, %v28 ], [ %v144, %v43 ], [ %v128, %v102 ]
  %v139 = phi i64 [ %v32, %v28 ], [ %v32, %v43 ], [ %v130, %v102 ]
  br i1 %v145, label %v133, label %v146
v24:
  %v27 = phi i64 [ %v8, %v11 ], [ %v134, %v25 ]
  %v136 = phi i64 [ %v1, %v11 ], [ %v135, %v25 ]
  %v147 = mul i64 %v12, %v136
  %v148 = load i64, ptr %v13, align 8
  %v149 = add i64 %v148, %v147
  %v150 = load i64, ptr %v14, align 8
  %v141 = add i64 %v150, %v147
  %v151 = load i64, ptr %v15, align 8
  %v152 = add i64 %v151, %v147
  %v153 = inttoptr i64 %v149 to ptr
  br label %v146
v146:
  %v32 = phi i64 [ %v141, %v24 ], [ %v139, %v29 ]
  %v144 = phi i64 [ %v152, %v24 ], [ %v143, %v29 ]
  %v154 = phi i1 [ true, %v24 ], [ false, %v29 ]
  %v145 = phi i1 [ false, %v24 ], [ true, %v29 ]
  %v155 = phi i64 [ 0, %v24 ], [ 32, %v29 ]
  br i1 %v16, label %v69, label %v156
v156:
  %v157 = inttoptr i64 %v32 to ptr
  %v158 = inttoptr i64 %v32 to ptr
  br label %v159
v160:
  %v161 = getelementptr i64, ptr %v157, i64 %v162
  %v163 = load i64, ptr %v161, align 8
  %v164 = and i64 %v163, 4294967295
  br label %v165
v165:
  %v166 = phi i64 [ %v164, %v160 ], [ %v162, %v159 ]
  %v167 = getelementptr i64, ptr %v153, i64 %v166
  %v168 = load i64, ptr %v167, align 8
  %v169 = xor i64 %v168, -9223372036854775808
  %v170 = ashr i64 %v169, %v155
  %v171 = shl i64 %v170, 32
  %v172 = or i64 %v171, %v166
  %v173 = getelementptr i64, ptr %v158, i64 %v162
  store i64 %v172, ptr %v173, align 8
  %v174 = icmp eq i64 %v6, %v175
  br i1 %v174, label %v69, label %v159
v159:
  %v162 = phi i64 [ 0, %v156 ], [ %v175, %v165 ]
  %v175 = add nuw nsw i64 %v162, 1
  br i1 %v154, label %v165, label %v160
v69:
  br i1 %v17, label %v28, label %v66
v99:
  %v129 = phi i64 [ %v130, %v102 ], [ %v32, %v63 ]
  %v104 = phi i64 [ %v128, %v102 ], [ %v144, %v63 ]
  %v176 = phi i64 [ %v132, %v102 ], [ 0, %v63 ]
  %v132 = add nuw nsw i64 %v176, 1
  %v177 = shl i64 %v176, 11
  %v178 = add nuw i64 %v177, %v7
  %v118 = inttoptr i64 %v129 to ptr
  %v179 = load i64, ptr %v118, align 8
  %v180 = shl i64 %v176, 3
  %v121 = add nuw nsw i64 %v180, 32
  %v181 = ashr i64 %v179, %v121
  %v182 = and i64 %v181, 255
  %v112 = inttoptr i64 %v178 to ptr
  %v183 = getelementptr i64, ptr %v112, i64 %v182
  %v184 = load i64, ptr %v183, align 8
  %v185 = icmp eq i64 %v184, %v6
  br i1 %v185, label %v102, label %v106
v142:
  %v186 = phi i64 [ 0, %v137 ], [ %v187, %v142 ]
  %v187 = add nuw nsw i64 %v186, 1
  %v188 = getelementptr i64, ptr %v138, i64 %v186
  %v189 = load i64, ptr %v188, align 8
  %v190 = and i64 %v189, 4294967295
  %v191 = getelementptr i64, ptr %v140, i64 %v186
  store i64 %v190, ptr %v191, align 8
  %v192 = icmp eq i64 %v6, %v187
  br i1 %v192, label %v25, label %v142
v10:
  ret i32 0
}

declare i64 @llvm.smax.i64(i64, i64)
