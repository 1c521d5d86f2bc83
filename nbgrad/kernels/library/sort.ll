; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @order_int32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [1024 x i64], align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i8, ptr %v5, i64 8
  %v8 = load i64, ptr %v7, align 8
  %v9 = shl i64 %v8, 1
  %v10 = icmp sgt i64 %v9, 48
  %v11 = add i64 %v8, 256
  %v12 = select i1 %v10, i64 %v11, i64 0
  %v13 = call i64 @llvm.smax.i64(i64 %v12, i64 %v9)
  %v14 = call i64 @llvm.smin.i64(i64 %v13, i64 %v6)
  %v15 = ptrtoint ptr %v4 to i64
  %v16 = sub i64 %v2, %v1
  %v17 = icmp slt i64 %v16, 1
  br i1 %v17, label %v18, label %v19
v19:
  %v20 = getelementptr i8, ptr %v5, i64 16
  %v21 = getelementptr i8, ptr %v5, i64 24
  %v22 = shl i64 %v8, 3
  %v23 = getelementptr i8, ptr %v5, i64 32
  %v24 = icmp sgt i64 %v6, 0
  %v25 = icmp slt i64 %v8, 1
  %v26 = icmp slt i64 %v8, 1
  br label %v27
v28:
  %v29 = icmp sgt i64 %v30, 1
  br i1 %v29, label %v27, label %v18
v31:
  %v32 = phi i64 [ %v33, %v34 ], [ 0, %v35 ]
  %v36 = phi i64 [ %v8, %v34 ], [ 0, %v35 ]
  %v37 = phi i64 [ %v38, %v34 ], [ -1, %v35 ]
  %v39 = icmp slt i64 %v32, %v6
  %v40 = icmp slt i64 %v36, %v14
  %v41 = select i1 %v39, i1 %v40, i1 false
  br i1 %v41, label %v42, label %v43
v42:
  %v44 = icmp slt i64 %v37, 0
  %v45 = getelementptr i32, ptr %v46, i64 %v37
  br label %v47
v47:
  %v48 = phi i64 [ %v49, %v50 ], [ %v32, %v42 ]
  %v51 = phi i64 [ %v52, %v50 ], [ %v36, %v42 ]
  br i1 %v44, label %v53, label %v54
v54:
  %v55 = getelementptr i32, ptr %v46, i64 %v48
  %v56 = load i32, ptr %v55, align 4
  %v57 = load i32, ptr %v45, align 4
  %v58 = icmp slt i32 %v56, %v57
  br i1 %v58, label %v53, label %v50
v53:
  %v59 = getelementptr i64, ptr %v60, i64 %v51
  store i64 %v48, ptr %v59, align 8
  %v61 = add i64 %v51, 1
  br label %v50
v50:
  %v52 = phi i64 [ %v61, %v53 ], [ %v51, %v54 ]
  %v49 = add nsw i64 %v48, 1
  %v62 = icmp slt i64 %v49, %v6
  %v63 = icmp slt i64 %v52, %v14
  %v64 = select i1 %v62, i1 %v63, i1 false
  br i1 %v64, label %v47, label %v43
v43:
  %v33 = phi i64 [ %v32, %v31 ], [ %v49, %v50 ]
  %v65 = phi i64 [ %v36, %v31 ], [ %v52, %v50 ]
  %v66 = icmp slt i64 %v65, 49
  %v67 = icmp sgt i64 %v65, 0
  %v68 = icmp sgt i64 %v65, 0
  %v69 = add i64 %v65, -1
  %v70 = call i64 @llvm.smax.i64(i64 %v69, i64 0)
  %v71 = icmp slt i64 %v69, 1
  %v72 = icmp slt i64 %v65, 1
  br i1 %v72, label %v73, label %v74
v75:
  br i1 %v71, label %v76, label %v77
v78:
  %v79 = phi i64 [ %v80, %v81 ], [ %v82, %v77 ]
  %v80 = add nsw i64 %v79, -1
  %v83 = getelementptr i64, ptr %v84, i64 %v80
  %v85 = load i64, ptr %v83, align 8
  %v86 = getelementptr i64, ptr %v84, i64 %v79
  store i64 %v85, ptr %v86, align 8
  %v87 = icmp sgt i64 %v79, 1
  br i1 %v87, label %v81, label %v88
v81:
  %v89 = getelementptr i64, ptr %v84, i64 %v79
  %v90 = getelementptr i8, ptr %v89, i64 -16
  %v91 = load i64, ptr %v90, align 8
  %v92 = lshr i64 %v91, 32
  %v93 = icmp ugt i64 %v92, %v94
  br i1 %v93, label %v78, label %v88
v88:
  %v95 = phi i64 [ %v82, %v77 ], [ %v80, %v81 ], [ 0, %v78 ]
  %v96 = getelementptr i64, ptr %v84, i64 %v95
  store i64 %v97, ptr %v96, align 8
  %v98 = icmp eq i64 %v82, %v70
  br i1 %v98, label %v76, label %v77
v77:
  %v82 = phi i64 [ %v99, %v88 ], [ 1, %v75 ]
  %v99 = add nuw i64 %v82, 1
  %v100 = getelementptr i64, ptr %v84, i64 %v82
  %v97 = load i64, ptr %v100, align 8
  %v101 = getelementptr i64, ptr %v84, i64 %v82
  %v102 = getelementptr i8, ptr %v101, i64 -8
  %v103 = load i64, ptr %v102, align 8
  %v104 = lshr i64 %v103, 32
  %v94 = lshr i64 %v97, 32
  %v105 = icmp ugt i64 %v104, %v94
  br i1 %v105, label %v78, label %v88
v106:
  br i1 %v67, label %v107, label %v108
v109:
  %v110 = phi i64 [ %v111, %v109 ], [ 0, %v73 ]
  %v111 = add nuw nsw i64 %v110, 1
  %v112 = getelementptr i64, ptr %v4, i64 %v110
  store i64 0, ptr %v112, align 8
  %v113 = icmp eq i64 %v111, 1024
  br i1 %v113, label %v106, label %v109
v107:
  %v114 = phi i64 [ %v115, %v107 ], [ 0, %v106 ]
  %v115 = add nuw nsw i64 %v114, 1
  %v116 = getelementptr i64, ptr %v117, i64 %v114
  %v118 = load i64, ptr %v116, align 8
  %v119 = lshr i64 %v118, 32
  %v120 = and i64 %v119, 255
  %v121 = getelementptr i64, ptr %v4, i64 %v120
  %v122 = load i64, ptr %v121, align 8
  %v123 = add i64 %v122, 1
  store i64 %v123, ptr %v121, align 8
  %v124 = lshr i64 %v118, 40
  %v125 = and i64 %v124, 255
  %v126 = getelementptr i64, ptr %v4, i64 %v125
  %v127 = getelementptr i8, ptr %v126, i64 2048
  %v128 = load i64, ptr %v127, align 8
  %v129 = add i64 %v128, 1
  store i64 %v129, ptr %v127, align 8
  %v130 = lshr i64 %v118, 48
  %v131 = and i64 %v130, 255
  %v132 = getelementptr i64, ptr %v4, i64 %v131
  %v133 = getelementptr i8, ptr %v132, i64 4096
  %v134 = load i64, ptr %v133, align 8
  %v135 = add i64 %v134, 1
  store i64 %v135, ptr %v133, align 8
  %v136 = lshr i64 %v118, 56
  %v137 = getelementptr i64, ptr %v4, i64 %v136
  %v138 = getelementptr i8, ptr %v137, i64 6144
  %v139 = load i64, ptr %v138, align 8
  %v140 = add i64 %v139, 1
  store i64 %v140, ptr %v138, align 8
  %v141 = icmp eq i64 %v115, %v65
  br i1 %v141, label %v108, label %v107
v108:
  br label %v142
v143:
  br i1 %v68, label %v144, label %v145
v144:
  %v146 = inttoptr i64 %v147 to ptr
  br label %v148
v149:
  %v150 = phi i64 [ %v151, %v149 ], [ 0, %v142 ]
  %v152 = phi i64 [ %v153, %v149 ], [ 0, %v142 ]
  %v153 = add nuw nsw i64 %v152, 1
  %v154 = getelementptr i64, ptr %v155, i64 %v152
  %v156 = load i64, ptr %v154, align 8
  store i64 %v150, ptr %v154, align 8
  %v151 = add i64 %v156, %v150
  %v157 = icmp eq i64 %v153, 256
  br i1 %v157, label %v143, label %v149
v148:
  %v158 = phi i64 [ 0, %v144 ], [ %v159, %v148 ]
  %v159 = add nuw nsw i64 %v158, 1
  %v160 = getelementptr i64, ptr %v161, i64 %v158
  %v162 = load i64, ptr %v160, align 8
  %v163 = ashr i64 %v162, %v164
  %v165 = and i64 %v163, 255
  %v166 = getelementptr i64, ptr %v155, i64 %v165
  %v167 = load i64, ptr %v166, align 8
  %v168 = add i64 %v167, 1
  store i64 %v168, ptr %v166, align 8
  %v169 = getelementptr i64, ptr %v146, i64 %v167
  store i64 %v162, ptr %v169, align 8
  %v170 = icmp eq i64 %v159, %v65
  br i1 %v170, label %v145, label %v148
v145:
  %v171 = phi i64 [ %v147, %v142 ], [ %v172, %v143 ], [ %v172, %v148 ]
  %v173 = phi i64 [ %v172, %v142 ], [ %v147, %v143 ], [ %v147, %v148 ]
  %v174 = icmp eq i64 %v175, 4
  br i1 %v174, label %v76, label %v142
v176:
  %v177 = inttoptr i64 %v178 to ptr
  br label %v179
v76:
  %v178 = phi i64 [ %v180, %v75 ], [ %v180, %v88 ], [ %v173, %v145 ]
  br i1 %v25, label %v34, label %v176
v74:
  %v181 = phi i64 [ %v182, %v74 ], [ 0, %v43 ]
  %v182 = add nuw nsw i64 %v181, 1
  %v183 = getelementptr i64, ptr %v184, i64 %v181
  %v185 = load i64, ptr %v183, align 8
  %v186 = and i64 %v185, 4294967295
  %v187 = getelementptr i32, ptr %v46, i64 %v186
  %v188 = load i32, ptr %v187, align 4
  %v189 = xor i32 %v188, -2147483648
  %v190 = sext i32 %v189 to i64
  %v191 = shl nsw i64 %v190, 32
  %v192 = or i64 %v191, %v186
  store i64 %v192, ptr %v183, align 8
  %v193 = icmp eq i64 %v65, %v182
  br i1 %v193, label %v73, label %v74
v73:
  br i1 %v66, label %v75, label %v109
v142:
  %v172 = phi i64 [ %v173, %v145 ], [ %v180, %v108 ]
  %v147 = phi i64 [ %v171, %v145 ], [ %v194, %v108 ]
  %v195 = phi i64 [ %v175, %v145 ], [ 0, %v108 ]
  %v175 = add nuw nsw i64 %v195, 1
  %v196 = shl i64 %v195, 11
  %v197 = add nuw i64 %v196, %v15
  %v161 = inttoptr i64 %v172 to ptr
  %v198 = load i64, ptr %v161, align 8
  %v199 = shl i64 %v195, 3
  %v164 = add nuw nsw i64 %v199, 32
  %v200 = ashr i64 %v198, %v164
  %v201 = and i64 %v200, 255
  %v155 = inttoptr i64 %v197 to ptr
  %v202 = getelementptr i64, ptr %v155, i64 %v201
  %v203 = load i64, ptr %v202, align 8
  %v204 = icmp eq i64 %v203, %v65
  br i1 %v204, label %v145, label %v149
v179:
  %v205 = phi i64 [ 0, %v176 ], [ %v206, %v179 ]
  %v206 = add nuw nsw i64 %v205, 1
  %v207 = getelementptr i64, ptr %v177, i64 %v205
  %v208 = load i64, ptr %v207, align 8
  %v209 = and i64 %v208, 4294967295
  %v210 = getelementptr i64, ptr %v211, i64 %v205
  store i64 %v209, ptr %v210, align 8
  %v212 = icmp eq i64 %v8, %v206
  br i1 %v212, label %v34, label %v179
v34:
  %v38 = load i64, ptr %v213, align 8
  %v214 = icmp slt i64 %v33, %v6
  br i1 %v214, label %v31, label %v215
v215:
  br i1 %v26, label %v28, label %v216
v216:
  %v217 = inttoptr i64 %v180 to ptr
  %v218 = inttoptr i64 %v219 to ptr
  br label %v220
v27:
  %v30 = phi i64 [ %v16, %v19 ], [ %v221, %v28 ]
  %v222 = phi i64 [ %v1, %v19 ], [ %v223, %v28 ]
  %v221 = add nsw i64 %v30, -1
  %v223 = add i64 %v222, 1
  %v224 = load i64, ptr %v20, align 8
  %v225 = inttoptr i64 %v224 to ptr
  %v226 = mul i64 %v222, %v6
  %v46 = getelementptr i32, ptr %v225, i64 %v226
  %v227 = load i64, ptr %v21, align 8
  %v228 = mul i64 %v22, %v222
  %v219 = add i64 %v227, %v228
  %v229 = load i64, ptr %v23, align 8
  %v230 = shl i64 %v222, 1
  %v231 = mul i64 %v230, %v14
  %v232 = shl i64 %v231, 3
  %v180 = add i64 %v229, %v232
  br i1 %v24, label %v35, label %v215
v35:
  %v233 = inttoptr i64 %v180 to ptr
  %v234 = getelementptr i64, ptr %v233, i64 %v8
  %v213 = getelementptr i8, ptr %v234, i64 -8
  %v235 = add i64 %v231, %v14
  %v236 = shl i64 %v235, 3
  %v194 = add i64 %v229, %v236
  %v60 = inttoptr i64 %v180 to ptr
  %v211 = inttoptr i64 %v180 to ptr
  %v184 = inttoptr i64 %v180 to ptr
  %v117 = inttoptr i64 %v180 to ptr
  %v84 = inttoptr i64 %v180 to ptr
  br label %v31
v220:
  %v237 = phi i64 [ 0, %v216 ], [ %v238, %v220 ]
  %v238 = add nuw nsw i64 %v237, 1
  %v239 = getelementptr i64, ptr %v217, i64 %v237
  %v240 = load i64, ptr %v239, align 8
  %v241 = getelementptr i64, ptr %v218, i64 %v237
  store i64 %v240, ptr %v241, align 8
  %v242 = icmp eq i64 %v8, %v238
  br i1 %v242, label %v28, label %v220
v18:
  ret i32 0
}

define i32 @order_int64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [1024 x i64], align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i8, ptr %v5, i64 8
  %v8 = load i64, ptr %v7, align 8
  %v9 = shl i64 %v8, 1
  %v10 = icmp sgt i64 %v9, 48
  %v11 = add i64 %v8, 256
  %v12 = select i1 %v10, i64 %v11, i64 0
  %v13 = call i64 @llvm.smax.i64(i64 %v12, i64 %v9)
  %v14 = call i64 @llvm.smin.i64(i64 %v13, i64 %v6)
  %v15 = ptrtoint ptr %v4 to i64
  %v16 = sub i64 %v2, %v1
  %v17 = icmp slt i64 %v16, 1
  br i1 %v17, label %v18, label %v19
v19:
  %v20 = getelementptr i8, ptr %v5, i64 16
  %v21 = shl i64 %v6, 3
  %v22 = getelementptr i8, ptr %v5, i64 24
  %v23 = shl i64 %v8, 3
  %v24 = getelementptr i8, ptr %v5, i64 32
  %v25 = icmp sgt i64 %v6, 0
  %v26 = icmp slt i64 %v8, 1
  %v27 = icmp slt i64 %v8, 1
  br label %v28
v29:
  %v30 = icmp sgt i64 %v31, 1
  br i1 %v30, label %v28, label %v18
v32:
  %v33 = phi i64 [ %v34, %v35 ], [ 0, %v36 ]
  %v37 = phi i64 [ %v8, %v35 ], [ 0, %v36 ]
  %v38 = phi i64 [ %v39, %v35 ], [ -1, %v36 ]
  %v40 = icmp slt i64 %v33, %v6
  %v41 = icmp slt i64 %v37, %v14
  %v42 = select i1 %v40, i1 %v41, i1 false
  br i1 %v42, label %v43, label %v44
v43:
  %v45 = icmp slt i64 %v38, 0
  %v46 = getelementptr i64, ptr %v47, i64 %v38
  br label %v48
v48:
  %v49 = phi i64 [ %v50, %v51 ], [ %v33, %v43 ]
  %v52 = phi i64 [ %v53, %v51 ], [ %v37, %v43 ]
  br i1 %v45, label %v54, label %v55
v55:
  %v56 = getelementptr i64, ptr %v47, i64 %v49
  %v57 = load i64, ptr %v56, align 8
  %v58 = load i64, ptr %v46, align 8
  %v59 = icmp slt i64 %v57, %v58
  br i1 %v59, label %v54, label %v51
v54:
  %v60 = getelementptr i64, ptr %v61, i64 %v52
  store i64 %v49, ptr %v60, align 8
  %v62 = add i64 %v52, 1
  br label %v51
v51:
  %v53 = phi i64 [ %v62, %v54 ], [ %v52, %v55 ]
  %v50 = add nsw i64 %v49, 1
  %v63 = icmp slt i64 %v50, %v6
  %v64 = icmp slt i64 %v53, %v14
  %v65 = select i1 %v63, i1 %v64, i1 false
  br i1 %v65, label %v48, label %v44
v44:
  %v34 = phi i64 [ %v33, %v32 ], [ %v50, %v51 ]
  %v66 = phi i64 [ %v37, %v32 ], [ %v53, %v51 ]
  %v67 = icmp slt i64 %v66, 1
  %v68 = icmp slt i64 %v66, 49
  %v69 = icmp sgt i64 %v66, 0
  %v70 = icmp sgt i64 %v66, 0
  %v71 = add i64 %v66, -1
  %v72 = call i64 @llvm.smax.i64(i64 %v71, i64 0)
  %v73 = icmp slt i64 %v71, 1
  br label %v74
v75:
  br i1 %v73, label %v76, label %v77
v77:
  %v78 = inttoptr i64 %v79 to ptr
  br label %v80
v81:
  %v82 = phi i64 [ %v83, %v84 ], [ %v85, %v80 ]
  %v83 = add nsw i64 %v82, -1
  %v86 = getelementptr i64, ptr %v78, i64 %v83
  %v87 = load i64, ptr %v86, align 8
  %v88 = getelementptr i64, ptr %v78, i64 %v82
  store i64 %v87, ptr %v88, align 8
  %v89 = icmp sgt i64 %v82, 1
  br i1 %v89, label %v84, label %v90
v84:
  %v91 = getelementptr i64, ptr %v78, i64 %v82
  %v92 = getelementptr i8, ptr %v91, i64 -16
  %v93 = load i64, ptr %v92, align 8
  %v94 = lshr i64 %v93, 32
  %v95 = icmp ugt i64 %v94, %v96
  br i1 %v95, label %v81, label %v90
v90:
  %v97 = phi i64 [ %v85, %v80 ], [ %v83, %v84 ], [ 0, %v81 ]
  %v98 = getelementptr i64, ptr %v78, i64 %v97
  store i64 %v99, ptr %v98, align 8
  %v100 = icmp eq i64 %v85, %v72
  br i1 %v100, label %v76, label %v80
v80:
  %v85 = phi i64 [ 1, %v77 ], [ %v101, %v90 ]
  %v101 = add nuw i64 %v85, 1
  %v102 = getelementptr i64, ptr %v78, i64 %v85
  %v99 = load i64, ptr %v102, align 8
  %v103 = getelementptr i64, ptr %v78, i64 %v85
  %v104 = getelementptr i8, ptr %v103, i64 -8
  %v105 = load i64, ptr %v104, align 8
  %v106 = lshr i64 %v105, 32
  %v96 = lshr i64 %v99, 32
  %v107 = icmp ugt i64 %v106, %v96
  br i1 %v107, label %v81, label %v90
v108:
  br i1 %v69, label %v109, label %v110
v109:
  %v111 = inttoptr i64 %v79 to ptr
  br label %v112
v113:
  %v114 = phi i64 [ %v115, %v113 ], [ 0, %v116 ]
  %v115 = add nuw nsw i64 %v114, 1
  %v117 = getelementptr i64, ptr %v4, i64 %v114
  store i64 0, ptr %v117, align 8
  %v118 = icmp eq i64 %v115, 1024
  br i1 %v118, label %v108, label %v113
v112:
  %v119 = phi i64 [ 0, %v109 ], [ %v120, %v112 ]
  %v120 = add nuw nsw i64 %v119, 1
  %v121 = getelementptr i64, ptr %v111, i64 %v119
  %v122 = load i64, ptr %v121, align 8
  %v123 = lshr i64 %v122, 32
  %v124 = and i64 %v123, 255
  %v125 = getelementptr i64, ptr %v4, i64 %v124
  %v126 = load i64, ptr %v125, align 8
  %v127 = add i64 %v126, 1
  store i64 %v127, ptr %v125, align 8
  %v128 = lshr i64 %v122, 40
  %v129 = and i64 %v128, 255
  %v130 = getelementptr i64, ptr %v4, i64 %v129
  %v131 = getelementptr i8, ptr %v130, i64 2048
  %v132 = load i64, ptr %v131, align 8
  %v133 = add i64 %v132, 1
  store i64 %v133, ptr %v131, align 8
  %v134 = lshr i64 %v122, 48
  %v135 = and i64 %v134, 255
  %v136 = getelementptr i64, ptr %v4, i64 %v135
  %v137 = getelementptr i8, ptr %v136, i64 4096
  %v138 = load i64, ptr %v137, align 8
  %v139 = add i64 %v138, 1
  store i64 %v139, ptr %v137, align 8
  %v140 = lshr i64 %v122, 56
  %v141 = getelementptr i64, ptr %v4, i64 %v140
  %v142 = getelementptr i8, ptr %v141, i64 6144
  %v143 = load i64, ptr %v142, align 8
  %v144 = add i64 %v143, 1
  store i64 %v144, ptr %v142, align 8
  %v145 = icmp eq i64 %v120, %v66
  br i1 %v145, label %v110, label %v112
v110:
  br label %v146
v147:
  br i1 %v70, label %v148, label %v149
v148:
  %v150 = inttoptr i64 %v151 to ptr
  br label %v152
v153:
  %v154 = phi i64 [ %v155, %v153 ], [ 0, %v146 ]
  %v156 = phi i64 [ %v157, %v153 ], [ 0, %v146 ]
  %v157 = add nuw nsw i64 %v156, 1
  %v158 = getelementptr i64, ptr %v159, i64 %v156
  %v160 = load i64, ptr %v158, align 8
  store i64 %v154, ptr %v158, align 8
  %v155 = add i64 %v160, %v154
  %v161 = icmp eq i64 %v157, 256
  br i1 %v161, label %v147, label %v153
v152:
  %v162 = phi i64 [ 0, %v148 ], [ %v163, %v152 ]
  %v163 = add nuw nsw i64 %v162, 1
  %v164 = getelementptr i64, ptr %v165, i64 %v162
  %v166 = load i64, ptr %v164, align 8
  %v167 = ashr i64 %v166, %v168
  %v169 = and i64 %v167, 255
  %v170 = getelementptr i64, ptr %v159, i64 %v169
  %v171 = load i64, ptr %v170, align 8
  %v172 = add i64 %v171, 1
  store i64 %v172, ptr %v170, align 8
  %v173 = getelementptr i64, ptr %v150, i64 %v171
  store i64 %v166, ptr %v173, align 8
  %v174 = icmp eq i64 %v163, %v66
  br i1 %v174, label %v149, label %v152
v149:
  %v175 = phi i64 [ %v151, %v146 ], [ %v176, %v147 ], [ %v176, %v152 ]
  %v177 = phi i64 [ %v176, %v146 ], [ %v151, %v147 ], [ %v151, %v152 ]
  %v178 = icmp eq i64 %v179, 4
  br i1 %v178, label %v76, label %v146
v180:
  br i1 %v26, label %v35, label %v181
v181:
  %v182 = inttoptr i64 %v183 to ptr
  br label %v184
v76:
  %v185 = phi i64 [ %v186, %v75 ], [ %v186, %v90 ], [ %v175, %v149 ]
  %v183 = phi i64 [ %v79, %v75 ], [ %v79, %v90 ], [ %v177, %v149 ]
  br i1 %v187, label %v180, label %v74
v74:
  %v79 = phi i64 [ %v188, %v44 ], [ %v183, %v76 ]
  %v186 = phi i64 [ %v189, %v44 ], [ %v185, %v76 ]
  %v187 = phi i1 [ false, %v44 ], [ true, %v76 ]
  %v190 = phi i64 [ 0, %v44 ], [ 32, %v76 ]
  br i1 %v67, label %v116, label %v191
v191:
  %v192 = inttoptr i64 %v79 to ptr
  br label %v193
v193:
  %v194 = phi i64 [ 0, %v191 ], [ %v195, %v193 ]
  %v195 = add nuw nsw i64 %v194, 1
  %v196 = getelementptr i64, ptr %v192, i64 %v194
  %v197 = load i64, ptr %v196, align 8
  %v198 = and i64 %v197, 4294967295
  %v199 = getelementptr i64, ptr %v200, i64 %v198
  %v201 = load i64, ptr %v199, align 8
  %v202 = xor i64 %v201, -9223372036854775808
  %v203 = ashr i64 %v202, %v190
  %v204 = shl i64 %v203, 32
  %v205 = or i64 %v204, %v198
  store i64 %v205, ptr %v196, align 8
  %v206 = icmp eq i64 %v66, %v195
  br i1 %v206, label %v116, label %v193
v116:
  br i1 %v68, label %v75, label %v113
v146:
  %v176 = phi i64 [ %v177, %v149 ], [ %v79, %v110 ]
  %v151 = phi i64 [ %v175, %v149 ], [ %v186, %v110 ]
  %v207 = phi i64 [ %v179, %v149 ], [ 0, %v110 ]
  %v179 = add nuw nsw i64 %v207, 1
  %v208 = shl i64 %v207, 11
  %v209 = add nuw i64 %v208, %v15
  %v165 = inttoptr i64 %v176 to ptr
  %v210 = load i64, ptr %v165, align 8
  %v211 = shl i64 %v207, 3
  %v168 = add nuw nsw i64 %v211, 32
  %v212 = ashr i64 %v210, %v168
  %v213 = and i64 %v212, 255
  %v159 = inttoptr i64 %v209 to ptr
  %v214 = getelementptr i64, ptr %v159, i64 %v213
  %v215 = load i64, ptr %v214, align 8
  %v216 = icmp eq i64 %v215, %v66
  br i1 %v216, label %v149, label %v153
v184:
  %v217 = phi i64 [ 0, %v181 ], [ %v218, %v184 ]
  %v218 = add nuw nsw i64 %v217, 1
  %v219 = getelementptr i64, ptr %v182, i64 %v217
  %v220 = load i64, ptr %v219, align 8
  %v221 = and i64 %v220, 4294967295
  %v222 = getelementptr i64, ptr %v223, i64 %v217
  store i64 %v221, ptr %v222, align 8
  %v224 = icmp eq i64 %v8, %v218
  br i1 %v224, label %v35, label %v184
v35:
  %v39 = load i64, ptr %v225, align 8
  %v226 = icmp slt i64 %v34, %v6
  br i1 %v226, label %v32, label %v227
v227:
  br i1 %v27, label %v29, label %v228
v228:
  %v229 = inttoptr i64 %v188 to ptr
  %v230 = inttoptr i64 %v231 to ptr
  br label %v232
v28:
  %v31 = phi i64 [ %v16, %v19 ], [ %v233, %v29 ]
  %v234 = phi i64 [ %v1, %v19 ], [ %v235, %v29 ]
  %v233 = add nsw i64 %v31, -1
  %v235 = add i64 %v234, 1
  %v236 = load i64, ptr %v22, align 8
  %v237 = mul i64 %v23, %v234
  %v231 = add i64 %v236, %v237
  %v238 = load i64, ptr %v24, align 8
  %v239 = shl i64 %v234, 1
  %v240 = mul i64 %v239, %v14
  %v241 = shl i64 %v240, 3
  %v188 = add i64 %v238, %v241
  br i1 %v25, label %v36, label %v227
v36:
  %v242 = load i64, ptr %v20, align 8
  %v243 = mul i64 %v21, %v234
  %v244 = add i64 %v242, %v243
  %v245 = inttoptr i64 %v188 to ptr
  %v246 = getelementptr i64, ptr %v245, i64 %v8
  %v225 = getelementptr i8, ptr %v246, i64 -8
  %v247 = add i64 %v240, %v14
  %v248 = shl i64 %v247, 3
  %v189 = add i64 %v238, %v248
  %v200 = inttoptr i64 %v244 to ptr
  %v47 = inttoptr i64 %v244 to ptr
  %v61 = inttoptr i64 %v188 to ptr
  %v223 = inttoptr i64 %v188 to ptr
  br label %v32
v232:
  %v249 = phi i64 [ 0, %v228 ], [ %v250, %v232 ]
  %v250 = add nuw nsw i64 %v249, 1
  %v251 = getelementptr i64, ptr %v229, i64 %v249
  %v252 = load i64, ptr %v251, align 8
  %v253 = getelementptr i64, ptr %v230, i64 %v249
  store i64 %v252, ptr %v253, align 8
  %v254 = icmp eq i64 %v8, %v250
  br i1 %v254, label %v29, label %v232
v18:
  ret i32 0
}

declare i64 @llvm.smax.i64(i64, i64)

declare i64 @llvm.smin.i64(i64, i64)
