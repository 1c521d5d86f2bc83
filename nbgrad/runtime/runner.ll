; numba 0.68.1, llvmlite 0.50.0, Python 3.11
define internal fastcc void @run(ptr %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = alloca i64, align 8
  store i64 0, ptr %v3, align 8
  %v4 = alloca i64, align 8
  store i64 0, ptr %v4, align 8
  %v5 = inttoptr i64 %v1 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 144
  %v7 = load i64, ptr %v6, align 8
  %v8 = icmp eq i64 %v7, 0
  br i1 %v8, label %v9, label %v10
v9:
  store i64 0, ptr %v3, align 8
  call fastcc void @walk(ptr %v3, i64 %v1, i64 0)
  %v11 = load i64, ptr %v3, align 8
  br label %v12
v10:
  %v13 = add i64 %v7, 216
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = atomicrmw add ptr %v14, i64 1 seq_cst, align 8
  %v16 = load i64, ptr %v6, align 8
  store i64 0, ptr %v4, align 8
  call fastcc void @walk(ptr %v4, i64 %v1, i64 %v16)
  %v17 = load i64, ptr %v4, align 8
  %v18 = atomicrmw add ptr %v14, i64 -1 seq_cst, align 8
  br label %v12
v12:
  %v19 = phi i64 [ %v17, %v10 ], [ %v11, %v9 ]
  store i64 %v19, ptr %v0, align 8
  ret void
}
define internal fastcc void @walk(ptr %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = alloca ptr, align 8
  %v5 = alloca i64, align 8
  %v6 = alloca i64, align 8
  store i64 0, ptr %v6, align 8
  %v7 = inttoptr i64 %v1 to ptr
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i8, ptr %v7, i64 8
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v8, 0
  %v12 = icmp eq i64 %v10, 0
  %v13 = select i1 %v11, i1 %v12, i1 false
  br i1 %v13, label %v14, label %v15
v14:
  %v16 = getelementptr i8, ptr %v7, i64 40
  %v17 = load i64, ptr %v16, align 8
  %v18 = getelementptr i8, ptr %v7, i64 160
  %v19 = getelementptr i8, ptr %v7, i64 48
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i8, ptr %v7, i64 56
  %v22 = load i64, ptr %v21, align 8
  %v23 = icmp slt i64 %v22, 1
  br i1 %v23, label %v24, label %v25
v25:
  %v26 = inttoptr i64 %v17 to ptr
  br label %v27
v24:
  %v28 = getelementptr i8, ptr %v7, i64 64
  %v29 = load i64, ptr %v28, align 8
  %v30 = getelementptr i8, ptr %v7, i64 72
  %v31 = load i64, ptr %v30, align 8
  %v32 = icmp slt i64 %v31, 1
  br i1 %v32, label %v33, label %v34
v34:
  %v35 = inttoptr i64 %v17 to ptr
  br label %v36
v33:
  %v37 = getelementptr i8, ptr %v7, i64 80
  %v38 = load i64, ptr %v37, align 8
  %v39 = getelementptr i8, ptr %v7, i64 88
  %v40 = load i64, ptr %v39, align 8
  %v41 = icmp slt i64 %v40, 1
  br i1 %v41, label %v15, label %v42
v42:
  %v43 = getelementptr i8, ptr %v7, i64 152
  %v44 = load i64, ptr %v43, align 8
  %v45 = inttoptr i64 %v17 to ptr
  %v46 = inttoptr i64 %v44 to ptr
  br label %v47
v27:
  %v48 = phi i64 [ 0, %v25 ], [ %v49, %v27 ]
  %v49 = add nuw nsw i64 %v48, 1
  %v50 = mul i64 %v48, 24
  %v51 = add i64 %v50, %v20
  %v52 = inttoptr i64 %v51 to ptr
  %v53 = getelementptr i8, ptr %v52, i64 8
  %v54 = load i64, ptr %v53, align 8
  %v55 = getelementptr i64, ptr %v18, i64 %v54
  %v56 = load i64, ptr %v55, align 8
  %v57 = getelementptr i8, ptr %v52, i64 16
  %v58 = load i64, ptr %v57, align 8
  %v59 = add i64 %v58, %v56
  %v60 = load i64, ptr %v52, align 8
  %v61 = getelementptr i64, ptr %v26, i64 %v60
  store i64 %v59, ptr %v61, align 8
  %v62 = icmp eq i64 %v49, %v22
  br i1 %v62, label %v24, label %v27
v36:
  %v63 = phi i64 [ 0, %v34 ], [ %v64, %v36 ]
  %v64 = add nuw nsw i64 %v63, 1
  %v65 = mul i64 %v63, 24
  %v66 = add i64 %v65, %v29
  %v67 = inttoptr i64 %v66 to ptr
  %v68 = getelementptr i8, ptr %v67, i64 16
  %v69 = load i64, ptr %v68, align 8
  %v70 = load i64, ptr %v67, align 8
  %v71 = getelementptr i64, ptr %v35, i64 %v70
  store i64 %v69, ptr %v71, align 8
  %v72 = icmp eq i64 %v64, %v31
  br i1 %v72, label %v33, label %v36
v47:
  %v73 = phi i64 [ 0, %v42 ], [ %v74, %v47 ]
  %v74 = add nuw nsw i64 %v73, 1
  %v75 = mul i64 %v73, 24
  %v76 = add i64 %v75, %v38
  %v77 = inttoptr i64 %v76 to ptr
  %v78 = load i64, ptr %v77, align 8
  %v79 = getelementptr i64, ptr %v45, i64 %v78
  %v80 = load i64, ptr %v79, align 8
  %v81 = getelementptr i8, ptr %v77, i64 8
  %v82 = load i64, ptr %v81, align 8
  %v83 = getelementptr i64, ptr %v46, i64 %v82
  %v84 = load i64, ptr %v83, align 8
  %v85 = getelementptr i8, ptr %v77, i64 16
  %v86 = load i64, ptr %v85, align 8
  %v87 = mul i64 %v86, %v84
  %v88 = add i64 %v87, %v80
  store i64 %v88, ptr %v79, align 8
  %v89 = icmp eq i64 %v74, %v40
  br i1 %v89, label %v15, label %v47
v15:
  %v90 = getelementptr i8, ptr %v7, i64 32
  %v91 = load i64, ptr %v90, align 8
  %v92 = getelementptr i8, ptr %v7, i64 24
  %v93 = load i64, ptr %v92, align 8
  %v94 = getelementptr i8, ptr %v7, i64 40
  %v95 = load i64, ptr %v94, align 8
  %v96 = getelementptr i8, ptr %v7, i64 96
  %v97 = load i64, ptr %v96, align 8
  %v98 = icmp slt i64 %v8, %v91
  br i1 %v98, label %v99, label %v100
v99:
  %v101 = getelementptr i8, ptr %v7, i64 120
  %v102 = load i64, ptr %v101, align 8
  %v103 = icmp ne i64 %v2, 0
  %v104 = inttoptr i64 %v2 to ptr
  %v105 = getelementptr i8, ptr %v104, i64 264
  %v106 = getelementptr i8, ptr %v104, i64 256
  %v107 = getelementptr i8, ptr %v104, i64 592
  %v108 = getelementptr i8, ptr %v104, i64 224
  %v109 = getelementptr i8, ptr %v104, i64 5248
  %v110 = ptrtoint ptr %v109 to i64
  %v111 = add i64 %v110, 8
  %v112 = inttoptr i64 %v111 to ptr
  %v113 = getelementptr i8, ptr %v112, i64 8
  %v114 = getelementptr i8, ptr %v104, i64 192
  %v115 = getelementptr i8, ptr %v104, i64 136
  %v116 = getelementptr i8, ptr %v104, i64 128
  %v117 = getelementptr i8, ptr %v104, i64 152
  %v118 = getelementptr i8, ptr %v104, i64 640
  %v119 = ptrtoint ptr %v118 to i64
  %v120 = getelementptr i8, ptr %v104, i64 144
  %v121 = getelementptr i8, ptr %v104, i64 64
  %v122 = getelementptr i8, ptr %v104, i64 224
  %v123 = getelementptr i8, ptr %v104, i64 5248
  %v124 = ptrtoint ptr %v123 to i64
  %v125 = add i64 %v124, 8
  %v126 = inttoptr i64 %v125 to ptr
  %v127 = getelementptr i8, ptr %v126, i64 8
  %v128 = getelementptr i8, ptr %v104, i64 576
  %v129 = getelementptr i8, ptr %v104, i64 320
  %v130 = ptrtoint ptr %v129 to i64
  %v131 = getelementptr i8, ptr %v104, i64 448
  %v132 = ptrtoint ptr %v131 to i64
  %v133 = getelementptr i8, ptr %v104, i64 584
  %v134 = getelementptr i8, ptr %v104, i64 200
  %v135 = getelementptr i8, ptr %v104, i64 600
  %v136 = getelementptr i8, ptr %v104, i64 592
  %v137 = add i64 %v2, 1152
  %v138 = inttoptr i64 %v137 to ptr
  %v139 = getelementptr i8, ptr %v138, i64 48
  %v140 = getelementptr i8, ptr %v7, i64 112
  %v141 = getelementptr i8, ptr %v7, i64 128
  %v142 = ptrtoint ptr %v141 to i64
  %v143 = getelementptr i8, ptr %v7, i64 136
  %v144 = getelementptr i8, ptr %v7, i64 104
  br label %v145
v145:
  %v146 = phi i64 [ %v147, %v148 ], [ %v8, %v99 ]
  %v149 = phi i64 [ 0, %v148 ], [ %v10, %v99 ]
  %v150 = phi i64 [ %v151, %v148 ], [ %v102, %v99 ]
  %v152 = phi i64 [ %v153, %v148 ], [ 0, %v99 ]
  %v154 = phi i64 [ %v155, %v148 ], [ 500000000, %v99 ]
  %v156 = mul i64 %v146, 48
  %v157 = add i64 %v156, %v93
  %v158 = inttoptr i64 %v157 to ptr
  %v159 = getelementptr i8, ptr %v158, i64 16
  %v160 = load i64, ptr %v159, align 8
  %v161 = getelementptr i8, ptr %v158, i64 32
  %v162 = load i64, ptr %v161, align 8
  %v163 = getelementptr i8, ptr %v158, i64 24
  %v164 = load i64, ptr %v163, align 8
  %v165 = icmp sgt i64 %v164, 0
  %v166 = select i1 %v165, i64 %v164, i64 %v160
  %v167 = icmp slt i64 %v149, %v160
  br i1 %v167, label %v168, label %v148
v168:
  %v169 = getelementptr i8, ptr %v158, i64 40
  %v170 = load i64, ptr %v169, align 8
  %v171 = and i64 %v170, 3
  %v172 = icmp ne i64 %v171, 0
  %v173 = select i1 %v103, i1 %v172, i1 false
  %v174 = and i64 %v170, 2
  %v175 = icmp ne i64 %v174, 0
  %v176 = and i64 %v170, 1
  %v177 = icmp ne i64 %v176, 0
  %v178 = and i1 %v177, %v173
  %v179 = icmp eq i64 %v162, 0
  %v180 = icmp slt i64 %v162, 0
  %v181 = select i1 %v173, i1 %v175, i1 false
  br label %v182
v182:
  %v183 = phi i64 [ %v184, %v185 ], [ %v146, %v168 ]
  %v186 = phi i64 [ %v187, %v185 ], [ %v149, %v168 ]
  %v188 = phi i64 [ %v189, %v185 ], [ %v150, %v168 ]
  %v190 = phi i64 [ %v191, %v185 ], [ %v152, %v168 ]
  %v192 = phi i64 [ %v193, %v185 ], [ %v154, %v168 ]
  %v194 = phi i64 [ %v195, %v185 ], [ %v157, %v168 ]
  %v196 = phi i64 [ %v197, %v185 ], [ %v160, %v168 ]
  %v198 = sub i64 %v196, %v186
  %v199 = mul i64 %v198, %v162
  %v200 = icmp eq i64 %v186, 0
  %v201 = select i1 %v181, i1 %v200, i1 false
  br i1 %v201, label %v202, label %v203
v202:
  %v204 = load i64, ptr %v92, align 8
  %v205 = mul i64 %v183, 48
  %v206 = add i64 %v204, %v205
  %v207 = inttoptr i64 %v206 to ptr
  %v208 = getelementptr i8, ptr %v207, i64 16
  %v209 = load i64, ptr %v208, align 8
  %v210 = getelementptr i8, ptr %v207, i64 32
  %v211 = load i64, ptr %v210, align 8
  %v212 = mul i64 %v211, %v209
  %v213 = getelementptr i8, ptr %v207, i64 40
  %v214 = load i64, ptr %v213, align 8
  %v215 = and i64 %v214, 2
  %v216 = icmp eq i64 %v215, 0
  br i1 %v216, label %v203, label %v217
v217:
  %v218 = phi i64 [ %v219, %v217 ], [ %v183, %v202 ]
  %v220 = phi i64 [ %v221, %v217 ], [ 1, %v202 ]
  %v222 = phi i64 [ %v223, %v217 ], [ %v212, %v202 ]
  %v219 = add i64 %v218, 1
  %v224 = mul i64 %v219, 48
  %v225 = add i64 %v224, %v204
  %v226 = inttoptr i64 %v225 to ptr
  %v227 = getelementptr i8, ptr %v226, i64 16
  %v228 = load i64, ptr %v227, align 8
  %v229 = getelementptr i8, ptr %v226, i64 32
  %v230 = load i64, ptr %v229, align 8
  %v231 = mul i64 %v230, %v228
  %v223 = add i64 %v231, %v222
  %v221 = add nuw nsw i64 %v220, 1
  %v232 = getelementptr i8, ptr %v226, i64 40
  %v233 = load i64, ptr %v232, align 8
  %v234 = and i64 %v233, 2
  %v235 = icmp ne i64 %v234, 0
  %v236 = icmp ult i64 %v220, 63
  %v237 = select i1 %v235, i1 %v236, i1 false
  br i1 %v237, label %v217, label %v203
v203:
  %v238 = phi i1 [ %v178, %v182 ], [ true, %v202 ], [ true, %v217 ]
  %v239 = phi i64 [ 1, %v182 ], [ 1, %v202 ], [ %v221, %v217 ]
  %v240 = phi i64 [ %v199, %v182 ], [ %v212, %v202 ], [ %v223, %v217 ]
  %v241 = icmp sgt i64 %v240, 3999999
  %v242 = select i1 %v238, i1 %v241, i1 false
  br i1 %v242, label %v243, label %v244
v243:
  %v245 = load atomic i64, ptr %v105 seq_cst, align 8
  %v246 = load atomic i64, ptr %v106 seq_cst, align 8
  %v247 = add i64 %v246, %v245
  %v248 = icmp sgt i64 %v247, 0
  %v249 = call i64 @llvm.smax.i64(i64 %v240, i64 %v188)
  %v250 = icmp sgt i64 %v249, 44999999
  %v251 = select i1 %v248, i1 true, i1 %v250
  br i1 %v251, label %v252, label %v244
v252:
  %v253 = atomicrmw xchg ptr %v104, i64 1 seq_cst, align 8
  %v254 = icmp eq i64 %v253, 0
  br i1 %v254, label %v255, label %v244
v255:
  %v256 = load i64, ptr %v107, align 8
  %v257 = icmp eq i64 %v256, 0
  br i1 %v257, label %v258, label %v259
v259:
  %v260 = load i64, ptr %v108, align 8
  %v261 = call i64 @nbgrad_clock_gettime(i64 %v260, i64 %v111)
  %v262 = load i64, ptr %v112, align 8
  %v263 = mul i64 %v262, 1000000000
  %v264 = load i64, ptr %v113, align 8
  %v265 = add i64 %v263, %v264
  %v266 = icmp slt i64 %v265, %v256
  br i1 %v266, label %v267, label %v268
v267:
  %v269 = atomicrmw xchg ptr %v104, i64 0 seq_cst, align 8
  br label %v244
v268:
  store i64 0, ptr %v107, align 8
  br label %v258
v258:
  %v270 = load i64, ptr %v114, align 8
  %v271 = add i64 %v270, 1
  %v272 = icmp sgt i64 %v239, 1
  br i1 %v272, label %v273, label %v274
v273:
  store i64 0, ptr %v5, align 8
  br label %v275
v275:
  %v276 = phi i64 [ 0, %v273 ], [ %v277, %v275 ]
  %v277 = add nuw nsw i64 %v276, 1
  %v278 = load i64, ptr %v92, align 8
  %v279 = add i64 %v276, %v183
  %v280 = mul i64 %v279, 48
  %v281 = add i64 %v280, %v278
  %v282 = load i64, ptr %v94, align 8
  %v283 = inttoptr i64 %v281 to ptr
  %v284 = getelementptr i8, ptr %v283, i64 16
  %v285 = load i64, ptr %v284, align 8
  store i64 0, ptr %v5, align 8
  call fastcc void @add_row(ptr %v5, i64 %v2, i64 %v276, i64 %v281, i64 %v282, i64 0, i64 %v285, i64 %v271)
  %v286 = icmp eq i64 %v277, %v239
  br i1 %v286, label %v287, label %v275
v287:
  %v288 = load i64, ptr %v5, align 8
  br label %v289
v274:
  br i1 %v179, label %v290, label %v291
v289:
  %v292 = phi i64 [ %v196, %v287 ], [ %v293, %v290 ]
  %v294 = phi i64 [ %v288, %v287 ], [ %v295, %v290 ]
  %v296 = call i64 @llvm.smax.i64(i64 %v240, i64 %v188)
  %v297 = atomicrmw xchg ptr %v115, i64 4611686018427387904 seq_cst, align 8
  %v298 = load i64, ptr %v114, align 8
  %v299 = add i64 %v298, 1
  %v300 = call i64 @llvm.smin.i64(i64 %v294, i64 %v299)
  %v301 = call i64 @llvm.smin.i64(i64 %v300, i64 8)
  store i64 %v294, ptr %v116, align 8
  store i64 %v301, ptr %v117, align 8
  %v302 = icmp slt i64 %v300, 1
  br i1 %v302, label %v303, label %v304
v304:
  %v305 = phi i64 [ %v306, %v307 ], [ 0, %v289 ]
  %v308 = phi i64 [ %v309, %v307 ], [ %v301, %v289 ]
  %v309 = add nsw i64 %v308, -1
  %v306 = add nuw nsw i64 %v305, 1
  %v310 = shl i64 %v305, 6
  %v311 = add i64 %v310, %v119
  %v312 = load i64, ptr %v116, align 8
  %v313 = mul i64 %v312, %v305
  %v314 = load i64, ptr %v117, align 8
  %v315 = icmp eq i64 %v314, 0
  br i1 %v315, label %v307, label %v316
v316:
  %v317 = icmp ne i64 %v313, -9223372036854775808
  %v318 = icmp ne i64 %v314, -1
  %v319 = or i1 %v317, %v318
  br i1 %v319, label %v320, label %v307
v320:
  %v321 = sdiv i64 %v313, %v314
  %v322 = srem i64 %v313, %v314
  %v323 = xor i64 %v322, %v314
  %v324 = icmp slt i64 %v323, 0
  %v325 = icmp ne i64 %v322, 0
  %v326 = and i1 %v325, %v324
  %v327 = sext i1 %v326 to i64
  %v328 = add i64 %v321, %v327
  br label %v307
v307:
  %v329 = phi i64 [ 0, %v304 ], [ %v328, %v320 ], [ 0, %v316 ]
  %v330 = inttoptr i64 %v311 to ptr
  %v331 = atomicrmw xchg ptr %v330, i64 %v329 seq_cst, align 8
  %v332 = icmp sgt i64 %v308, 1
  br i1 %v332, label %v304, label %v303
v303:
  %v333 = atomicrmw add ptr %v120, i64 1 seq_cst, align 8
  %v334 = atomicrmw add ptr %v121, i64 -4294967296 seq_cst, align 8
  %v335 = load i64, ptr %v122, align 8
  %v336 = call i64 @nbgrad_clock_gettime(i64 %v335, i64 %v125)
  %v337 = load i64, ptr %v126, align 8
  %v338 = mul i64 %v337, 1000000000
  %v339 = load i64, ptr %v127, align 8
  %v340 = add i64 %v338, %v339
  %v341 = load i64, ptr %v128, align 8
  %v342 = sub i64 %v340, %v341
  %v343 = icmp sgt i64 %v342, 10000000
  br i1 %v343, label %v344, label %v345
v344:
  store i64 %v340, ptr %v128, align 8
  %v346 = call i64 @nbgrad_sched_getcpu()
  %v347 = icmp ult i64 %v346, 1024
  br i1 %v347, label %v348, label %v345
v348:
  %v349 = load i64, ptr %v133, align 8
  %v350 = call i64 @nbgrad_sched_getaffinity(i64 %v349, i64 128, i64 %v130)
  %v351 = icmp slt i64 %v350, 0
  br i1 %v351, label %v345, label %v352
v352:
  %v353 = and i64 %v346, 63
  %v354 = shl nuw i64 1, %v353
  %v355 = lshr i64 %v346, 6
  %v356 = xor i64 %v354, -1
  br label %v357
v358:
  %v359 = icmp ne i64 %v360, 0
  br label %v361
v362:
  %v363 = icmp eq i64 %v364, 0
  br i1 %v363, label %v345, label %v365
v365:
  %v366 = load i64, ptr %v114, align 8
  %v367 = icmp slt i64 %v366, 1
  br i1 %v367, label %v345, label %v368
v357:
  %v369 = phi i64 [ 0, %v352 ], [ %v360, %v357 ]
  %v370 = phi i64 [ 0, %v352 ], [ %v371, %v357 ]
  %v371 = add nuw nsw i64 %v370, 1
  %v372 = getelementptr i64, ptr %v129, i64 %v370
  %v373 = load i64, ptr %v372, align 8
  %v374 = icmp eq i64 %v370, %v355
  %v375 = select i1 %v374, i64 %v356, i64 -1
  %v376 = and i64 %v375, %v373
  %v360 = or i64 %v376, %v369
  %v377 = icmp eq i64 %v371, 16
  br i1 %v377, label %v358, label %v357
v361:
  %v378 = phi i64 [ 0, %v358 ], [ %v364, %v361 ]
  %v379 = phi i64 [ 0, %v358 ], [ %v380, %v361 ]
  %v380 = add nuw nsw i64 %v379, 1
  %v381 = getelementptr i64, ptr %v129, i64 %v379
  %v382 = load i64, ptr %v381, align 8
  %v383 = icmp eq i64 %v379, %v355
  %v384 = and i1 %v359, %v383
  %v385 = select i1 %v384, i64 %v356, i64 -1
  %v386 = and i64 %v385, %v382
  %v387 = getelementptr i64, ptr %v131, i64 %v379
  %v388 = load i64, ptr %v387, align 8
  store i64 %v386, ptr %v387, align 8
  %v389 = xor i64 %v386, %v388
  %v364 = or i64 %v389, %v378
  %v390 = icmp eq i64 %v380, 16
  br i1 %v390, label %v362, label %v361
v368:
  %v391 = phi i64 [ %v392, %v368 ], [ 0, %v365 ]
  %v392 = add nuw nsw i64 %v391, 1
  %v393 = shl i64 %v392, 6
  %v394 = add i64 %v393, %v124
  %v395 = inttoptr i64 %v394 to ptr
  %v396 = getelementptr i8, ptr %v395, i64 24
  %v397 = load i64, ptr %v396, align 8
  %v398 = call i64 @nbgrad_sched_setaffinity(i64 %v397, i64 128, i64 %v132)
  %v399 = icmp eq i64 %v392, %v366
  br i1 %v399, label %v345, label %v368
v345:
  %v400 = load i64, ptr %v114, align 8
  %v401 = add i64 %v294, -1
  %v402 = call i64 @llvm.smin.i64(i64 %v401, i64 %v400)
  %v403 = udiv i64 %v296, 45000000
  %v404 = call i64 @llvm.smin.i64(i64 %v403, i64 %v402)
  %v405 = load atomic i64, ptr %v106 seq_cst, align 8
  %v406 = load atomic i64, ptr %v105 seq_cst, align 8
  %v407 = add i64 %v406, %v405
  %v408 = sub i64 %v404, %v407
  %v409 = icmp slt i64 %v408, 1
  br i1 %v409, label %v410, label %v411
v410:
  store ptr null, ptr %v4, align 8
  %v412 = load i64, ptr %v117, align 8
  %v413 = icmp slt i64 %v412, 1
  br i1 %v413, label %v414, label %v415
v415:
  %v416 = phi i64 [ %v417, %v415 ], [ 0, %v410 ]
  %v418 = phi i64 [ %v419, %v415 ], [ %v412, %v410 ]
  %v419 = add nsw i64 %v418, -1
  store ptr null, ptr %v4, align 8
  call fastcc void @take_share(ptr %v4, i64 %v2, i64 %v416)
  %v420 = add i64 %v416, 1
  %v421 = icmp eq i64 %v420, %v412
  %v417 = select i1 %v421, i64 0, i64 %v420
  %v422 = icmp sgt i64 %v418, 1
  br i1 %v422, label %v415, label %v414
v414:
  %v423 = atomicrmw add ptr %v121, i64 4294967296 seq_cst, align 8
  %v424 = load atomic i64, ptr %v121 seq_cst, align 8
  %v425 = icmp eq i64 %v424, 4294967296
  br i1 %v425, label %v426, label %v427
v427:
  %v428 = phi i64 [ %v429, %v427 ], [ 0, %v414 ]
  %v430 = call i64 @nbgrad_pause()
  %v429 = add nuw nsw i64 %v428, 1
  %v431 = load atomic i64, ptr %v121 seq_cst, align 8
  %v432 = icmp ne i64 %v431, 4294967296
  %v433 = icmp ult i64 %v428, 99
  %v434 = select i1 %v432, i1 %v433, i1 false
  br i1 %v434, label %v427, label %v426
v426:
  %v435 = load atomic i64, ptr %v121 seq_cst, align 8
  %v436 = icmp eq i64 %v435, 4294967296
  br i1 %v436, label %v437, label %v438
v438:
  %v439 = load i64, ptr %v122, align 8
  %v440 = call i64 @nbgrad_clock_gettime(i64 %v439, i64 %v125)
  %v441 = load i64, ptr %v126, align 8
  %v442 = mul i64 %v441, 1000000000
  %v443 = load i64, ptr %v127, align 8
  %v444 = add i64 %v442, %v443
  %v445 = load atomic i64, ptr %v121 seq_cst, align 8
  %v446 = icmp eq i64 %v445, 4294967296
  br i1 %v446, label %v447, label %v448
v448:
  %v449 = call i64 @nbgrad_sched_yield()
  %v450 = load atomic i64, ptr %v121 seq_cst, align 8
  %v451 = icmp eq i64 %v450, 4294967296
  br i1 %v451, label %v447, label %v448
v447:
  %v452 = load i64, ptr %v122, align 8
  %v453 = call i64 @nbgrad_clock_gettime(i64 %v452, i64 %v125)
  %v454 = load i64, ptr %v126, align 8
  %v455 = mul i64 %v454, 1000000000
  %v456 = load i64, ptr %v127, align 8
  %v457 = add i64 %v455, %v456
  %v458 = sub i64 %v457, %v444
  %v459 = sub i64 %v444, %v340
  %v460 = call i64 @llvm.smax.i64(i64 %v459, i64 300000)
  %v461 = icmp sgt i64 %v458, %v460
  br i1 %v461, label %v462, label %v437
v462:
  %v463 = shl i64 %v458, 3
  %v464 = load i64, ptr %v135, align 8
  %v465 = sub i64 %v463, %v444
  %v466 = add i64 %v465, %v464
  %v467 = call i64 @llvm.smax.i64(i64 %v466, i64 0)
  %v468 = add i64 %v467, %v457
  store i64 %v468, ptr %v135, align 8
  store i64 %v468, ptr %v136, align 8
  br label %v437
v411:
  %v469 = phi i64 [ %v470, %v411 ], [ %v408, %v345 ]
  %v470 = add nsw i64 %v469, -1
  %v471 = atomicrmw add ptr %v106, i64 1 seq_cst, align 8
  %v472 = load i64, ptr %v134, align 8
  %v473 = call i64 @nbgrad_sem_post(i64 %v472)
  %v474 = icmp sgt i64 %v469, 1
  br i1 %v474, label %v411, label %v410
v437:
  %v475 = load atomic i64, ptr %v115 seq_cst, align 8
  %v476 = icmp eq i64 %v475, 4611686018427387904
  br i1 %v476, label %v477, label %v478
v477:
  %v479 = phi i64 [ %v480, %v481 ], [ 0, %v437 ]
  %v482 = phi i64 [ %v483, %v481 ], [ 0, %v437 ]
  %v484 = atomicrmw xchg ptr %v104, i64 0 seq_cst, align 8
  %v485 = icmp eq i64 %v271, 0
  br i1 %v485, label %v486, label %v487
v244:
  %v488 = add i64 %v186, %v166
  %v489 = call i64 @llvm.smin.i64(i64 %v488, i64 %v196)
  %v490 = inttoptr i64 %v194 to ptr
  %v491 = load i64, ptr %v490, align 8
  %v492 = getelementptr i8, ptr %v490, i64 8
  %v493 = load i64, ptr %v492, align 8
  %v494 = shl i64 %v493, 3
  %v495 = add i64 %v494, %v95
  %v496 = inttoptr i64 %v491 to ptr
  %v497 = inttoptr i64 %v495 to ptr
  %v498 = call i32 %v496(ptr %v497, i64 %v186, i64 %v489)
  %v499 = sext i32 %v498 to i64
  %v500 = sub i64 %v186, %v489
  %v501 = mul i64 %v500, %v162
  %v502 = add nsw i64 %v192, -10000
  %v503 = add i64 %v502, %v501
  br label %v504
v504:
  %v505 = phi i64 [ %v239, %v486 ], [ 1, %v244 ]
  %v506 = phi i64 [ %v479, %v486 ], [ 0, %v244 ]
  %v507 = phi i64 [ %v292, %v486 ], [ %v489, %v244 ]
  %v508 = phi i64 [ %v482, %v486 ], [ %v499, %v244 ]
  %v189 = phi i64 [ 0, %v486 ], [ %v188, %v244 ]
  %v509 = phi i64 [ %v510, %v486 ], [ %v503, %v244 ]
  %v511 = icmp eq i64 %v508, 0
  br i1 %v511, label %v512, label %v513
v514:
  %v515 = phi i64 [ 0, %v100 ], [ 1, %v516 ], [ 2, %v513 ]
  store i64 %v515, ptr %v0, align 8
  ret void
v513:
  %v517 = add i64 %v506, %v183
  store i64 %v517, ptr %v7, align 8
  store i64 %v186, ptr %v9, align 8
  %v518 = getelementptr i8, ptr %v7, i64 16
  store i64 %v508, ptr %v518, align 8
  br label %v514
v512:
  %v519 = icmp sgt i64 %v505, 1
  br i1 %v519, label %v520, label %v521
v520:
  %v522 = add i64 %v183, -1
  %v523 = add i64 %v522, %v505
  %v524 = mul i64 %v523, 48
  %v525 = add i64 %v524, %v93
  %v526 = inttoptr i64 %v525 to ptr
  %v527 = getelementptr i8, ptr %v526, i64 16
  %v528 = load i64, ptr %v527, align 8
  br label %v521
v521:
  %v184 = phi i64 [ %v523, %v520 ], [ %v183, %v512 ]
  %v195 = phi i64 [ %v525, %v520 ], [ %v194, %v512 ]
  %v197 = phi i64 [ %v528, %v520 ], [ %v196, %v512 ]
  %v187 = phi i64 [ %v528, %v520 ], [ %v507, %v512 ]
  %v529 = icmp slt i64 %v509, 1
  br i1 %v529, label %v530, label %v185
v530:
  %v531 = load i64, ptr %v140, align 8
  %v532 = call i64 @nbgrad_clock_gettime(i64 %v531, i64 %v142)
  %v533 = load i64, ptr %v141, align 8
  %v534 = mul i64 %v533, 1000000000
  %v535 = load i64, ptr %v143, align 8
  %v536 = add i64 %v534, %v535
  %v537 = icmp eq i64 %v190, 0
  br i1 %v537, label %v538, label %v539
v538:
  %v540 = load i64, ptr %v144, align 8
  %v541 = add i64 %v540, %v536
  br label %v185
v539:
  %v542 = icmp sge i64 %v536, %v190
  %v543 = icmp slt i64 %v184, %v97
  %v544 = select i1 %v542, i1 %v543, i1 false
  br i1 %v544, label %v516, label %v185
v516:
  store i64 %v184, ptr %v7, align 8
  store i64 %v187, ptr %v9, align 8
  br label %v514
v185:
  %v191 = phi i64 [ %v541, %v538 ], [ %v190, %v521 ], [ %v190, %v539 ]
  %v193 = phi i64 [ 500000000, %v538 ], [ %v509, %v521 ], [ 500000000, %v539 ]
  %v545 = icmp slt i64 %v187, %v197
  br i1 %v545, label %v182, label %v148
v148:
  %v546 = phi i64 [ %v146, %v145 ], [ %v184, %v185 ]
  %v151 = phi i64 [ %v150, %v145 ], [ %v189, %v185 ]
  %v153 = phi i64 [ %v152, %v145 ], [ %v191, %v185 ]
  %v155 = phi i64 [ %v154, %v145 ], [ %v193, %v185 ]
  %v147 = add i64 %v546, 1
  %v547 = icmp slt i64 %v147, %v91
  br i1 %v547, label %v145, label %v100
v100:
  store i64 0, ptr %v7, align 8
  store i64 0, ptr %v9, align 8
  br label %v514
v290:
  %v548 = phi i64 [ %v549, %v291 ], [ 0, %v274 ]
  %v550 = call i64 @llvm.smax.i64(i64 %v166, i64 %v548)
  %v551 = mul i64 %v550, %v271
  %v552 = add i64 %v551, %v186
  %v293 = call i64 @llvm.smin.i64(i64 %v552, i64 %v196)
  store i64 0, ptr %v6, align 8
  call fastcc void @add_row(ptr %v6, i64 %v2, i64 0, i64 %v194, i64 %v95, i64 %v186, i64 %v293, i64 %v271)
  %v295 = load i64, ptr %v6, align 8
  br label %v289
v291:
  %v553 = sdiv i64 5000000000, %v162
  %v554 = srem i64 5000000000, %v162
  %v555 = icmp ne i64 %v554, 0
  %v556 = and i1 %v180, %v555
  %v557 = sext i1 %v556 to i64
  %v549 = add nsw i64 %v553, %v557
  br label %v290
v478:
  %v558 = ashr i64 %v475, 8
  %v559 = load i64, ptr %v139, align 8
  %v560 = icmp slt i64 %v558, %v559
  br i1 %v560, label %v481, label %v561
v561:
  %v562 = phi i64 [ %v563, %v561 ], [ 0, %v478 ]
  %v563 = add i64 %v562, 1
  %v564 = shl i64 %v563, 6
  %v565 = add i64 %v564, %v137
  %v566 = inttoptr i64 %v565 to ptr
  %v567 = getelementptr i8, ptr %v566, i64 48
  %v568 = load i64, ptr %v567, align 8
  %v569 = icmp slt i64 %v558, %v568
  br i1 %v569, label %v481, label %v561
v481:
  %v480 = phi i64 [ 0, %v478 ], [ %v563, %v561 ]
  %v483 = and i64 %v475, 255
  br label %v477
v486:
  %v570 = phi i64 [ 0, %v477 ], [ %v571, %v487 ]
  %v510 = sub i64 %v192, %v570
  br label %v504
v487:
  %v572 = sdiv i64 %v240, %v271
  %v573 = srem i64 %v240, %v271
  %v574 = xor i64 %v573, %v271
  %v575 = icmp slt i64 %v574, 0
  %v576 = icmp ne i64 %v573, 0
  %v577 = and i1 %v576, %v575
  %v578 = sext i1 %v577 to i64
  %v571 = add nsw i64 %v572, %v578
  br label %v486
}
define internal fastcc void @add_row(ptr %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4, i64 %v5, i64 %v6, i64 %v7) nounwind "no-jump-tables"="true" "no-builtins" {
v8:
  %v9 = inttoptr i64 %v3 to ptr
  %v10 = getelementptr i8, ptr %v9, i64 40
  %v11 = load i64, ptr %v10, align 8
  %v12 = and i64 %v11, 1
  %v13 = icmp eq i64 %v12, 0
  br i1 %v13, label %v14, label %v15
v15:
  %v16 = getelementptr i8, ptr %v9, i64 24
  %v17 = load i64, ptr %v16, align 8
  %v18 = icmp sgt i64 %v17, 0
  br i1 %v18, label %v19, label %v20
v20:
  %v21 = getelementptr i8, ptr %v9, i64 16
  %v22 = load i64, ptr %v21, align 8
  br label %v19
v19:
  %v23 = phi i64 [ %v22, %v20 ], [ %v17, %v15 ]
  %v24 = getelementptr i8, ptr %v9, i64 32
  %v25 = load i64, ptr %v24, align 8
  %v26 = call i64 @llvm.smax.i64(i64 %v25, i64 1)
  %v27 = shl i64 %v7, 2
  %v28 = icmp eq i64 %v27, 0
  br i1 %v28, label %v29, label %v30
v30:
  %v31 = xor i64 %v5, -1
  %v32 = add i64 %v6, %v31
  %v33 = sdiv i64 %v32, %v27
  %v34 = srem i64 %v32, %v27
  %v35 = xor i64 %v34, %v27
  %v36 = icmp sgt i64 %v35, -1
  %v37 = icmp eq i64 %v34, 0
  %v38 = or i1 %v37, %v36
  %v39 = zext i1 %v38 to i64
  %v40 = add i64 %v33, %v39
  br label %v29
v29:
  %v41 = phi i64 [ %v40, %v30 ], [ 1, %v19 ]
  %v42 = udiv i64 1000000, %v26
  %v43 = add nuw nsw i64 %v42, 1
  %v44 = udiv i64 100000000, %v26
  %v45 = add nuw nsw i64 %v44, 1
  %v46 = call i64 @llvm.smax.i64(i64 %v43, i64 %v41)
  %v47 = icmp ugt i64 %v46, 256
  %v48 = add nuw i64 %v46, 63
  %v49 = and i64 %v48, -64
  %v50 = select i1 %v47, i64 %v49, i64 %v46
  %v51 = call i64 @llvm.smin.i64(i64 %v45, i64 %v50)
  %v52 = call i64 @llvm.smin.i64(i64 %v23, i64 %v51)
  br label %v14
v14:
  %v53 = phi i64 [ %v52, %v29 ], [ %v6, %v8 ]
  %v54 = load i64, ptr %v9, align 8
  %v55 = getelementptr i8, ptr %v9, i64 8
  %v56 = load i64, ptr %v55, align 8
  %v57 = icmp sgt i64 %v2, 0
  br i1 %v57, label %v58, label %v59
v58:
  %v60 = shl i64 %v2, 6
  %v61 = add i64 %v1, 1088
  %v62 = add i64 %v61, %v60
  %v63 = inttoptr i64 %v62 to ptr
  %v64 = getelementptr i8, ptr %v63, i64 48
  %v65 = load i64, ptr %v64, align 8
  br label %v59
v59:
  %v66 = phi i64 [ %v65, %v58 ], [ 0, %v14 ]
  %v67 = icmp sgt i64 %v6, %v5
  br i1 %v67, label %v68, label %v69
v68:
  %v70 = xor i64 %v5, -1
  %v71 = add i64 %v6, %v70
  %v72 = icmp eq i64 %v53, 0
  br i1 %v72, label %v73, label %v74
v74:
  %v75 = icmp ne i64 %v71, -9223372036854775808
  %v76 = icmp ne i64 %v53, -1
  %v77 = or i1 %v75, %v76
  br i1 %v77, label %v78, label %v73
v73:
  %v79 = phi i64 [ 1, %v68 ], [ 1, %v74 ], [ %v80, %v78 ]
  %v81 = add i64 %v79, %v66
  br label %v69
v78:
  %v82 = sdiv i64 %v71, %v53
  %v83 = srem i64 %v71, %v53
  %v84 = xor i64 %v83, %v53
  %v85 = icmp sgt i64 %v84, -1
  %v86 = icmp eq i64 %v83, 0
  %v87 = or i1 %v86, %v85
  %v88 = zext i1 %v87 to i64
  %v80 = add i64 %v82, %v88
  br label %v73
v69:
  %v89 = phi i64 [ %v81, %v73 ], [ %v66, %v59 ]
  %v90 = shl i64 %v56, 3
  %v91 = add i64 %v90, %v4
  %v92 = add i64 %v1, 1152
  %v93 = shl i64 %v2, 6
  %v94 = add i64 %v92, %v93
  %v95 = inttoptr i64 %v94 to ptr
  store i64 %v54, ptr %v95, align 8
  %v96 = getelementptr i8, ptr %v95, i64 8
  store i64 %v91, ptr %v96, align 8
  %v97 = getelementptr i8, ptr %v95, i64 16
  store i64 %v5, ptr %v97, align 8
  %v98 = getelementptr i8, ptr %v95, i64 24
  store i64 %v6, ptr %v98, align 8
  %v99 = getelementptr i8, ptr %v95, i64 32
  store i64 %v53, ptr %v99, align 8
  %v100 = getelementptr i8, ptr %v95, i64 40
  store i64 %v66, ptr %v100, align 8
  %v101 = getelementptr i8, ptr %v95, i64 48
  store i64 %v89, ptr %v101, align 8
  store i64 %v89, ptr %v0, align 8
  ret void
}
define internal fastcc void @take_share(ptr %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = add i64 %v2, 1
  %v5 = inttoptr i64 %v1 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 128
  %v7 = load i64, ptr %v6, align 8
  %v8 = mul i64 %v7, %v4
  %v9 = getelementptr i8, ptr %v5, i64 152
  %v10 = load i64, ptr %v9, align 8
  %v11 = icmp eq i64 %v10, 0
  br i1 %v11, label %v12, label %v13
v13:
  %v14 = icmp ne i64 %v8, -9223372036854775808
  %v15 = icmp ne i64 %v10, -1
  %v16 = or i1 %v14, %v15
  br i1 %v16, label %v17, label %v12
v17:
  %v18 = sdiv i64 %v8, %v10
  %v19 = srem i64 %v8, %v10
  %v20 = xor i64 %v19, %v10
  %v21 = icmp slt i64 %v20, 0
  %v22 = icmp ne i64 %v19, 0
  %v23 = and i1 %v22, %v21
  %v24 = sext i1 %v23 to i64
  %v25 = add i64 %v18, %v24
  br label %v12
v12:
  %v26 = phi i64 [ 0, %v3 ], [ %v25, %v17 ], [ 0, %v13 ]
  %v27 = getelementptr i8, ptr %v5, i64 640
  %v28 = ptrtoint ptr %v27 to i64
  %v29 = shl i64 %v2, 6
  %v30 = add i64 %v29, %v28
  %v31 = inttoptr i64 %v30 to ptr
  %v32 = atomicrmw add ptr %v31, i64 1 seq_cst, align 8
  %v33 = icmp slt i64 %v32, %v26
  br i1 %v33, label %v34, label %v35
v34:
  %v36 = getelementptr i8, ptr %v5, i64 1152
  %v37 = ptrtoint ptr %v36 to i64
  %v38 = getelementptr i8, ptr %v5, i64 136
  br label %v39
v39:
  %v40 = phi i64 [ %v41, %v42 ], [ 0, %v34 ]
  %v43 = phi i64 [ %v44, %v42 ], [ %v32, %v34 ]
  %v45 = shl i64 %v40, 6
  %v46 = add i64 %v45, %v37
  %v47 = inttoptr i64 %v46 to ptr
  %v48 = getelementptr i8, ptr %v47, i64 48
  %v49 = load i64, ptr %v48, align 8
  %v50 = icmp slt i64 %v43, %v49
  br i1 %v50, label %v51, label %v52
v52:
  %v53 = phi i64 [ %v54, %v52 ], [ %v40, %v39 ]
  %v54 = add i64 %v53, 1
  %v55 = shl i64 %v54, 6
  %v56 = add i64 %v55, %v37
  %v57 = inttoptr i64 %v56 to ptr
  %v58 = getelementptr i8, ptr %v57, i64 48
  %v59 = load i64, ptr %v58, align 8
  %v60 = icmp slt i64 %v43, %v59
  br i1 %v60, label %v51, label %v52
v51:
  %v41 = phi i64 [ %v40, %v39 ], [ %v54, %v52 ]
  %v61 = load atomic i64, ptr %v38 seq_cst, align 8
  %v62 = ashr i64 %v61, 8
  %v63 = icmp slt i64 %v43, %v62
  br i1 %v63, label %v64, label %v42
v64:
  %v65 = shl i64 %v41, 6
  %v66 = add i64 %v65, %v37
  %v67 = inttoptr i64 %v66 to ptr
  %v68 = getelementptr i8, ptr %v67, i64 16
  %v69 = load i64, ptr %v68, align 8
  %v70 = getelementptr i8, ptr %v67, i64 40
  %v71 = load i64, ptr %v70, align 8
  %v72 = sub i64 %v43, %v71
  %v73 = getelementptr i8, ptr %v67, i64 32
  %v74 = load i64, ptr %v73, align 8
  %v75 = mul i64 %v72, %v74
  %v76 = add i64 %v75, %v69
  %v77 = load i64, ptr %v67, align 8
  %v78 = getelementptr i8, ptr %v67, i64 8
  %v79 = load i64, ptr %v78, align 8
  %v80 = add i64 %v76, %v74
  %v81 = getelementptr i8, ptr %v67, i64 24
  %v82 = load i64, ptr %v81, align 8
  %v83 = call i64 @llvm.smin.i64(i64 %v82, i64 %v80)
  %v84 = inttoptr i64 %v77 to ptr
  %v85 = inttoptr i64 %v79 to ptr
  %v86 = call i32 %v84(ptr %v85, i64 %v76, i64 %v83)
  %v87 = icmp eq i32 %v86, 0
  br i1 %v87, label %v42, label %v88
v88:
  %v89 = sext i32 %v86 to i64
  %v90 = shl i64 %v43, 8
  %v91 = add i64 %v90, %v89
  %v92 = load i64, ptr %v38, align 8
  br label %v93
v93:
  %v94 = phi i64 [ %v92, %v88 ], [ %v95, %v93 ]
  %v96 = call i64 @llvm.smin.i64(i64 %v94, i64 %v91)
  %v97 = cmpxchg ptr %v38, i64 %v94, i64 %v96 seq_cst seq_cst, align 8
  %v98 = extractvalue { i64, i1 } %v97, 1
  %v95 = extractvalue { i64, i1 } %v97, 0
  br i1 %v98, label %v42, label %v93
v42:
  %v44 = atomicrmw add ptr %v31, i64 1 seq_cst, align 8
  %v99 = icmp slt i64 %v44, %v26
  br i1 %v99, label %v39, label %v35
v35:
  store ptr null, ptr %v0, align 8
  ret void
}
define i64 @nbgrad_run(i64 %v0) nounwind "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = alloca i64, align 8
  store i64 0, ptr %v2, align 8
  call fastcc void @run(ptr %v2, i64 %v0)
  %v3 = load i64, ptr %v2, align 8
  ret i64 %v3
}
define internal fastcc void @work(ptr %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = alloca ptr, align 8
  %v4 = inttoptr i64 %v1 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = inttoptr i64 %v5 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 5248
  %v8 = ptrtoint ptr %v7 to i64
  %v9 = sub i64 %v1, %v8
  %v10 = ashr i64 %v9, 6
  %v11 = getelementptr i8, ptr %v6, i64 224
  %v12 = getelementptr i8, ptr %v6, i64 264
  %v13 = add i64 %v1, 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr i8, ptr %v14, i64 8
  %v16 = getelementptr i8, ptr %v6, i64 64
  %v17 = getelementptr i8, ptr %v6, i64 144
  %v18 = getelementptr i8, ptr %v6, i64 144
  %v19 = getelementptr i8, ptr %v6, i64 216
  %v20 = getelementptr i8, ptr %v6, i64 144
  %v21 = getelementptr i8, ptr %v6, i64 200
  %v22 = getelementptr i8, ptr %v6, i64 256
  %v23 = getelementptr i8, ptr %v6, i64 208
  %v24 = getelementptr i8, ptr %v6, i64 144
  %v25 = getelementptr i8, ptr %v6, i64 152
  br label %v26
v26:
  %v27 = phi i64 [ 0, %v2 ], [ %v28, %v29 ]
  br label %v30
v30:
  %v31 = load i64, ptr %v11, align 8
  %v32 = atomicrmw add ptr %v12, i64 1 seq_cst, align 8
  %v33 = call i64 @nbgrad_clock_gettime(i64 %v31, i64 %v13)
  %v34 = load i64, ptr %v14, align 8
  %v35 = mul i64 %v34, 1000000000
  %v36 = load i64, ptr %v15, align 8
  %v37 = add i64 %v35, %v36
  %v38 = load atomic i64, ptr %v16 seq_cst, align 8
  %v39 = icmp slt i64 %v38, 4294967296
  br i1 %v39, label %v40, label %v41
v40:
  %v42 = load atomic i64, ptr %v17 seq_cst, align 8
  %v43 = icmp eq i64 %v42, %v27
  br i1 %v43, label %v41, label %v44
v41:
  br label %v45
v45:
  %v46 = phi i64 [ %v37, %v41 ], [ %v47, %v48 ]
  %v49 = load atomic i64, ptr %v16 seq_cst, align 8
  %v50 = icmp slt i64 %v49, 4294967296
  br i1 %v50, label %v51, label %v52
v51:
  %v53 = load atomic i64, ptr %v18 seq_cst, align 8
  %v54 = icmp eq i64 %v53, %v27
  br i1 %v54, label %v52, label %v55
v52:
  %v56 = call i64 @nbgrad_pause()
  br label %v57
v57:
  %v58 = phi i64 [ 1, %v52 ], [ %v59, %v60 ]
  %v61 = load atomic i64, ptr %v16 seq_cst, align 8
  %v62 = icmp slt i64 %v61, 4294967296
  br i1 %v62, label %v63, label %v60
v63:
  %v64 = load atomic i64, ptr %v18 seq_cst, align 8
  %v65 = icmp eq i64 %v64, %v27
  br i1 %v65, label %v60, label %v55
v60:
  %v66 = call i64 @nbgrad_pause()
  %v59 = add nuw nsw i64 %v58, 1
  %v67 = icmp eq i64 %v59, 100
  br i1 %v67, label %v55, label %v57
v55:
  %v68 = call i64 @nbgrad_clock_gettime(i64 %v31, i64 %v13)
  %v69 = load i64, ptr %v14, align 8
  %v70 = mul i64 %v69, 1000000000
  %v71 = load i64, ptr %v15, align 8
  %v47 = add i64 %v70, %v71
  %v72 = load atomic i64, ptr %v19 seq_cst, align 8
  %v73 = icmp sgt i64 %v72, 0
  %v74 = select i1 %v73, i64 300000, i64 50000
  %v75 = sub i64 %v47, %v37
  %v76 = icmp slt i64 %v75, %v74
  %v77 = sub i64 %v47, %v46
  %v78 = icmp slt i64 %v77, 100000
  %v79 = select i1 %v76, i1 %v78, i1 false
  br i1 %v79, label %v80, label %v44
v80:
  %v81 = load atomic i64, ptr %v16 seq_cst, align 8
  %v82 = icmp slt i64 %v81, 4294967296
  br i1 %v82, label %v83, label %v48
v83:
  %v84 = load atomic i64, ptr %v18 seq_cst, align 8
  %v85 = icmp eq i64 %v84, %v27
  br i1 %v85, label %v48, label %v44
v48:
  br label %v45
v44:
  %v86 = atomicrmw add ptr %v12, i64 -1 seq_cst, align 8
  %v87 = load atomic i64, ptr %v16 seq_cst, align 8
  %v88 = icmp slt i64 %v87, 4294967296
  br i1 %v88, label %v89, label %v90
v89:
  %v91 = load atomic i64, ptr %v20 seq_cst, align 8
  %v92 = icmp eq i64 %v91, %v27
  br i1 %v92, label %v90, label %v93
v90:
  %v94 = load i64, ptr %v21, align 8
  %v95 = call i64 @nbgrad_sem_wait(i64 %v94)
  %v96 = icmp eq i64 %v95, 0
  br i1 %v96, label %v97, label %v30
v97:
  %v98 = atomicrmw add ptr %v22, i64 -1 seq_cst, align 8
  br label %v93
v93:
  %v99 = load atomic i64, ptr %v23 seq_cst, align 8
  %v100 = icmp eq i64 %v99, 0
  br i1 %v100, label %v101, label %v102
v102:
  store i64 0, ptr %v0, align 8
  ret void
v101:
  %v103 = atomicrmw add ptr %v16, i64 1 seq_cst, align 8
  %v104 = icmp slt i64 %v103, 4294967296
  br i1 %v104, label %v105, label %v29
v105:
  %v106 = load atomic i64, ptr %v24 seq_cst, align 8
  store ptr null, ptr %v3, align 8
  %v107 = load i64, ptr %v25, align 8
  %v108 = icmp eq i64 %v107, 0
  br i1 %v108, label %v109, label %v110
v109:
  %v111 = phi i64 [ %v112, %v110 ], [ 0, %v105 ]
  %v113 = icmp slt i64 %v107, 1
  br i1 %v113, label %v114, label %v115
v115:
  %v116 = sub i64 %v10, %v111
  br label %v117
v110:
  %v118 = sdiv i64 %v10, %v107
  %v119 = srem i64 %v10, %v107
  %v120 = xor i64 %v119, %v107
  %v121 = icmp slt i64 %v120, 0
  %v122 = icmp ne i64 %v119, 0
  %v123 = and i1 %v122, %v121
  %v124 = sext i1 %v123 to i64
  %v125 = add nsw i64 %v118, %v124
  %v112 = mul i64 %v125, %v107
  br label %v109
v117:
  %v126 = phi i64 [ %v127, %v117 ], [ %v116, %v115 ]
  %v128 = phi i64 [ %v129, %v117 ], [ %v107, %v115 ]
  %v129 = add nsw i64 %v128, -1
  store ptr null, ptr %v3, align 8
  call fastcc void @take_share(ptr %v3, i64 %v5, i64 %v126)
  %v130 = add i64 %v126, 1
  %v131 = icmp eq i64 %v130, %v107
  %v127 = select i1 %v131, i64 0, i64 %v130
  %v132 = icmp sgt i64 %v128, 1
  br i1 %v132, label %v117, label %v114
v114:
  br label %v29
v29:
  %v28 = phi i64 [ %v27, %v101 ], [ %v106, %v114 ]
  %v133 = atomicrmw add ptr %v16, i64 -1 seq_cst, align 8
  br label %v26
}
define i64 @nbgrad_work(i64 %v0) nounwind "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = alloca i64, align 8
  store i64 0, ptr %v2, align 8
  call fastcc void @work(ptr %v2, i64 %v0)
  %v3 = load i64, ptr %v2, align 8
  ret i64 %v3
}
define internal fastcc void @mark_held(ptr %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v1 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 16
  %v6 = load i64, ptr %v5, align 8
  %v7 = add i64 %v6, 7
  %v8 = ashr i64 %v7, 3
  %v9 = icmp slt i64 %v8, 1
  br i1 %v9, label %v10, label %v11
v11:
  %v12 = getelementptr i8, ptr %v4, i64 24
  %v13 = load i64, ptr %v12, align 8
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = inttoptr i64 %v2 to ptr
  br label %v16
v17:
  %v18 = phi i64 [ 0, %v16 ], [ %v19, %v20 ]
  %v21 = getelementptr i64, ptr %v15, i64 %v22
  store i64 %v18, ptr %v21, align 8
  %v23 = icmp eq i64 %v24, %v8
  br i1 %v23, label %v10, label %v16
v10:
  store i64 %v6, ptr %v0, align 8
  ret void
v16:
  %v22 = phi i64 [ 0, %v11 ], [ %v24, %v17 ]
  %v24 = add nuw nsw i64 %v22, 1
  %v25 = shl i64 %v22, 3
  %v26 = sub i64 %v6, %v25
  %v27 = icmp slt i64 %v26, 1
  br i1 %v27, label %v17, label %v28
v28:
  %v29 = call i64 @llvm.smin.i64(i64 %v26, i64 8)
  %v30 = getelementptr i64, ptr %v14, i64 %v25
  br label %v20
v20:
  %v31 = phi i64 [ 0, %v28 ], [ %v19, %v20 ]
  %v32 = phi i64 [ %v29, %v28 ], [ %v33, %v20 ]
  %v34 = phi i64 [ 0, %v28 ], [ %v35, %v20 ]
  %v33 = add nsw i64 %v32, -1
  %v35 = add nuw nsw i64 %v34, 1
  %v36 = getelementptr i64, ptr %v30, i64 %v34
  %v37 = load i64, ptr %v36, align 8
  %v38 = inttoptr i64 %v37 to ptr
  %v39 = load i64, ptr %v38, align 8
  %v40 = and i64 %v39, 4294967295
  %v41 = icmp eq i64 %v40, 1
  %v42 = shl i64 %v34, 3
  %v43 = shl nuw i64 1, %v42
  %v44 = select i1 %v41, i64 0, i64 %v43
  %v19 = or i64 %v44, %v31
  %v45 = icmp sgt i64 %v32, 1
  br i1 %v45, label %v20, label %v17
}
define i64 @nbgrad_mark_held(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = alloca i64, align 8
  store i64 0, ptr %v3, align 8
  call fastcc void @mark_held(ptr %v3, i64 %v0, i64 %v1)
  %v4 = load i64, ptr %v3, align 8
  ret i64 %v4
}
define internal fastcc void @all_as_noted(ptr %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = call i64 @llvm.smax.i64(i64 %v2, i64 0)
  br label %v5
v5:
  %v6 = phi i64 [ 0, %v3 ], [ %v7, %v8 ]
  %v9 = icmp eq i64 %v6, %v4
  br i1 %v9, label %v10, label %v8
v10:
  %v11 = phi i64 [ 0, %v8 ], [ 1, %v5 ]
  store i64 %v11, ptr %v0, align 8
  ret void
v8:
  %v7 = add nuw i64 %v6, 1
  %v12 = mul i64 %v6, 24
  %v13 = add i64 %v12, %v1
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = load i64, ptr %v14, align 8
  %v16 = inttoptr i64 %v15 to ptr
  %v17 = load i64, ptr %v16, align 8
  %v18 = getelementptr i8, ptr %v14, i64 8
  %v19 = load i64, ptr %v18, align 8
  %v20 = and i64 %v19, %v17
  %v21 = getelementptr i8, ptr %v14, i64 16
  %v22 = load i64, ptr %v21, align 8
  %v23 = icmp eq i64 %v20, %v22
  br i1 %v23, label %v5, label %v10
}
define i64 @nbgrad_all_as_noted(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = alloca i64, align 8
  store i64 0, ptr %v3, align 8
  call fastcc void @all_as_noted(ptr %v3, i64 %v0, i64 %v1)
  %v4 = load i64, ptr %v3, align 8
  ret i64 %v4
}
define internal fastcc void @turn(ptr %v0, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v4 = inttoptr i64 %v2 to ptr
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  %v7 = inttoptr i64 %v1 to ptr
  %v8 = getelementptr i8, ptr %v7, i64 152
  %v9 = load i64, ptr %v8, align 8
  %v10 = icmp eq i64 %v9, 0
  br i1 %v6, label %v11, label %v12
v11:
  br i1 %v10, label %v13, label %v14
v14:
  %v15 = getelementptr i8, ptr %v7, i64 128
  %v16 = load i64, ptr %v15, align 8
  %v17 = inttoptr i64 %v16 to ptr
  call void %v17(ptr %v7)
  %v18 = getelementptr i8, ptr %v7, i64 184
  %v19 = load i64, ptr %v18, align 8
  %v20 = icmp eq i64 %v19, 0
  br i1 %v20, label %v21, label %v22
v21:
  %v23 = getelementptr i8, ptr %v7, i64 144
  %v24 = load i64, ptr %v23, align 8
  %v25 = inttoptr i64 %v24 to ptr
  %v26 = call i32 %v25()
  %v27 = sext i32 %v26 to i64
  %v28 = getelementptr i8, ptr %v7, i64 168
  store i64 %v27, ptr %v28, align 8
  %v29 = load i64, ptr %v8, align 8
  %v30 = getelementptr i8, ptr %v7, i64 160
  %v31 = inttoptr i64 %v29 to ptr
  call void %v31(ptr %v30)
  %v32 = load i64, ptr %v23, align 8
  %v33 = inttoptr i64 %v32 to ptr
  %v34 = call i32 %v33()
  %v35 = sext i32 %v34 to i64
  %v36 = getelementptr i8, ptr %v7, i64 176
  store i64 %v35, ptr %v36, align 8
  br label %v22
v22:
  %v37 = load i64, ptr %v18, align 8
  %v38 = add i64 %v37, 1
  store i64 %v38, ptr %v18, align 8
  br label %v39
v12:
  br i1 %v10, label %v13, label %v40
v40:
  %v41 = getelementptr i8, ptr %v7, i64 128
  %v42 = load i64, ptr %v41, align 8
  %v43 = inttoptr i64 %v42 to ptr
  call void %v43(ptr %v7)
  %v44 = getelementptr i8, ptr %v7, i64 184
  %v45 = load i64, ptr %v44, align 8
  %v46 = icmp sgt i64 %v45, 0
  br i1 %v46, label %v47, label %v39
v47:
  %v48 = add nsw i64 %v45, -1
  store i64 %v48, ptr %v44, align 8
  %v49 = icmp eq i64 %v48, 0
  br i1 %v49, label %v50, label %v39
v50:
  %v51 = getelementptr i8, ptr %v7, i64 144
  %v52 = load i64, ptr %v51, align 8
  %v53 = inttoptr i64 %v52 to ptr
  %v54 = call i32 %v53()
  %v55 = sext i32 %v54 to i64
  %v56 = getelementptr i8, ptr %v7, i64 176
  %v57 = load i64, ptr %v56, align 8
  %v58 = icmp eq i64 %v57, %v55
  br i1 %v58, label %v59, label %v39
v59:
  %v60 = load i64, ptr %v8, align 8
  %v61 = getelementptr i8, ptr %v7, i64 168
  %v62 = inttoptr i64 %v60 to ptr
  call void %v62(ptr %v61)
  br label %v39
v39:
  %v63 = getelementptr i8, ptr %v7, i64 136
  %v64 = load i64, ptr %v63, align 8
  %v65 = inttoptr i64 %v64 to ptr
  call void %v65(ptr %v7)
  br label %v13
v13:
  %v66 = load i64, ptr %v4, align 8
  %v67 = sub i64 1, %v66
  store i64 %v67, ptr %v4, align 8
  store i64 %v67, ptr %v0, align 8
  ret void
}
define i64 @nbgrad_turn(i64 %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = alloca i64, align 8
  store i64 0, ptr %v3, align 8
  call fastcc void @turn(ptr %v3, i64 %v0, i64 %v1)
  %v4 = load i64, ptr %v3, align 8
  ret i64 %v4
}
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
