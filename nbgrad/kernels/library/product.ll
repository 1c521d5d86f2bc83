; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @product_float32(ptr %desc, i64 %v1, i64 %v2, i64 %v3) nounwind "no-jump-tables"="true" "no-builtins" {
v4:
  %v0 = ptrtoint ptr %desc to i64
  %v5 = alloca [64 x i64], align 8
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 8
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i8, ptr %v6, i64 24
  %v10 = load i64, ptr %v9, align 8
  %v11 = add i64 %v8, -1
  %v12 = add i64 %v11, %v10
  %v13 = udiv i64 %v12, %v10
  %v14 = load i64, ptr %v6, align 8
  %v15 = getelementptr i8, ptr %v6, i64 16
  %v16 = load i64, ptr %v15, align 8
  %v17 = add i64 %v14, -1
  %v18 = add i64 %v17, %v16
  %v19 = udiv i64 %v18, %v16
  %v20 = mul i64 %v19, %v13
  %v21 = inttoptr i64 %v3 to ptr
  %v22 = getelementptr i8, ptr %v21, i64 128
  %v23 = load i64, ptr %v22, align 8
  %v24 = sub i64 %v2, %v1
  %v25 = icmp slt i64 %v24, 1
  br i1 %v25, label %v26, label %v27
v27:
  %v28 = getelementptr i8, ptr %v6, i64 72
  %v29 = getelementptr i64, ptr %v28, i64 %v23
  %v30 = shl i64 %v23, 1
  %v31 = getelementptr i64, ptr %v28, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 8
  %v33 = mul i64 %v23, 3
  %v34 = getelementptr i64, ptr %v28, i64 %v33
  %v35 = getelementptr i8, ptr %v34, i64 16
  %v36 = icmp ugt i64 %v23, -9223372036854775808
  %v37 = select i1 %v36, i64 0, i64 %v23
  %v38 = icmp sgt i64 %v37, 0
  %v39 = getelementptr i64, ptr %v28, i64 %v23
  %v40 = getelementptr i64, ptr %v28, i64 %v30
  %v41 = getelementptr i8, ptr %v40, i64 16
  %v42 = getelementptr i64, ptr %v28, i64 %v33
  %v43 = getelementptr i8, ptr %v42, i64 24
  %v44 = getelementptr i8, ptr %v21, i64 136
  %v45 = getelementptr i8, ptr %v6, i64 32
  %v46 = getelementptr i8, ptr %v6, i64 40
  %v47 = getelementptr i8, ptr %v6, i64 48
  %v48 = getelementptr i8, ptr %v21, i64 64
  %v49 = getelementptr i8, ptr %v21, i64 80
  %v50 = getelementptr i8, ptr %v6, i64 56
  %v51 = add i64 %v0, 72
  %v52 = getelementptr i8, ptr %v21, i64 144
  %v53 = getelementptr i8, ptr %v6, i64 64
  %v54 = getelementptr i8, ptr %v21, i64 8
  %v55 = getelementptr i8, ptr %v21, i64 16
  %v56 = getelementptr i8, ptr %v21, i64 176
  %v57 = getelementptr i8, ptr %v21, i64 152
  %v58 = getelementptr i8, ptr %v21, i64 88
  %v59 = getelementptr i8, ptr %v21, i64 120
  %v60 = getelementptr i8, ptr %v21, i64 112
  %v61 = getelementptr i8, ptr %v21, i64 48
  %v62 = getelementptr i8, ptr %v21, i64 112
  %v63 = getelementptr i8, ptr %v21, i64 48
  %v64 = getelementptr i8, ptr %v21, i64 152
  %v65 = getelementptr i8, ptr %v21, i64 256
  %v66 = getelementptr i8, ptr %v21, i64 168
  %v67 = getelementptr i8, ptr %v21, i64 104
  %v68 = getelementptr i8, ptr %v21, i64 248
  %v69 = getelementptr i8, ptr %v21, i64 160
  %v70 = getelementptr i8, ptr %v21, i64 24
  %v71 = getelementptr i8, ptr %v21, i64 32
  %v72 = getelementptr i8, ptr %v21, i64 240
  %v73 = getelementptr i8, ptr %v21, i64 232
  %v74 = getelementptr i8, ptr %v21, i64 160
  %v75 = getelementptr i8, ptr %v21, i64 24
  %v76 = getelementptr i8, ptr %v21, i64 32
  %v77 = getelementptr i8, ptr %v21, i64 24
  %v78 = getelementptr i8, ptr %v21, i64 32
  %v79 = getelementptr i8, ptr %v21, i64 40
  %v80 = getelementptr i8, ptr %v21, i64 56
  %v81 = getelementptr i8, ptr %v21, i64 72
  %v82 = getelementptr i8, ptr %v21, i64 184
  %v83 = getelementptr i8, ptr %v21, i64 96
  %v84 = getelementptr i8, ptr %v21, i64 272
  %v85 = getelementptr i8, ptr %v21, i64 48
  %v86 = getelementptr i8, ptr %v21, i64 272
  %v87 = getelementptr i8, ptr %v21, i64 48
  %v88 = getelementptr i8, ptr %v21, i64 264
  %v89 = getelementptr i8, ptr %v21, i64 176
  br label %v90
v91:
  %v92 = phi i64 [ %v93, %v90 ], [ %v94, %v95 ]
  %v96 = phi i64 [ %v97, %v90 ], [ %v98, %v95 ]
  %v99 = phi i64 [ %v100, %v90 ], [ %v101, %v95 ]
  %v102 = udiv i64 %v103, %v13
  %v104 = load i64, ptr %v15, align 8
  %v105 = mul i64 %v104, %v102
  %v106 = mul i64 %v102, %v13
  %v107 = urem i64 %v103, %v13
  %v108 = load i64, ptr %v9, align 8
  %v109 = mul i64 %v107, %v108
  %v110 = load i64, ptr %v22, align 8
  %v111 = load i64, ptr %v44, align 8
  %v112 = load i64, ptr %v45, align 8
  %v113 = mul i64 %v112, %v105
  %v114 = mul i64 %v111, %v109
  %v115 = add i64 %v114, %v99
  %v116 = add i64 %v115, %v113
  %v117 = load i64, ptr %v46, align 8
  %v118 = mul i64 %v117, %v105
  %v119 = add i64 %v114, %v96
  %v120 = add i64 %v119, %v118
  %v121 = load i64, ptr %v47, align 8
  %v122 = mul i64 %v121, %v105
  %v123 = add i64 %v114, %v92
  %v124 = add i64 %v123, %v122
  %v125 = load i64, ptr %v6, align 8
  %v126 = sub i64 %v125, %v105
  %v127 = call i64 @llvm.smin.i64(i64 %v126, i64 %v104)
  %v128 = load i64, ptr %v7, align 8
  %v129 = sub i64 %v128, %v109
  %v130 = call i64 @llvm.smin.i64(i64 %v129, i64 %v108)
  store i64 %v117, ptr %v48, align 8
  store i64 %v121, ptr %v49, align 8
  %v131 = load i64, ptr %v50, align 8
  %v132 = and i64 %v131, 2
  %v133 = add i64 %v110, 1
  %v134 = mul i64 %v133, 3
  %v135 = add i64 %v134, %v110
  %v136 = shl i64 %v135, 3
  %v137 = add i64 %v51, %v136
  %v138 = shl i64 %v133, 1
  %v139 = load i64, ptr %v52, align 8
  %v140 = shl nuw i64 1, %v139
  %v141 = inttoptr i64 %v137 to ptr
  %v142 = load i64, ptr %v141, align 8
  %v143 = load i64, ptr %v53, align 8
  %v144 = icmp eq i64 %v143, 1
  %v145 = and i64 %v131, 1
  %v146 = icmp eq i64 %v145, 0
  %v147 = select i1 %v144, i1 %v146, i1 false
  br i1 %v147, label %v148, label %v149
v148:
  %v150 = shl i64 3, %v139
  %v151 = icmp sgt i64 %v127, %v150
  %v152 = icmp sgt i64 %v130, 192
  %v153 = select i1 %v151, i1 true, i1 %v152
  br i1 %v153, label %v149, label %v154
v154:
  %v155 = getelementptr i8, ptr %v141, i64 24
  %v156 = load i64, ptr %v155, align 8
  %v157 = icmp eq i64 %v156, %v111
  br i1 %v157, label %v158, label %v149
v158:
  %v159 = getelementptr i8, ptr %v141, i64 32
  %v160 = load i64, ptr %v159, align 8
  %v161 = icmp eq i64 %v160, %v111
  br i1 %v161, label %v149, label %v162
v162:
  %v163 = getelementptr i8, ptr %v141, i64 16
  %v164 = load i64, ptr %v163, align 8
  %v165 = icmp eq i64 %v164, %v111
  br i1 %v165, label %v166, label %v149
v166:
  %v167 = add i64 %v127, -1
  %v168 = add i64 %v167, %v140
  %v169 = sub i64 0, %v140
  %v170 = and i64 %v168, %v169
  %v171 = sub i64 %v130, %v170
  %v172 = shl i64 %v142, 3
  %v173 = mul i64 %v172, %v171
  %v174 = sub i64 %v170, %v127
  %v175 = mul i64 %v174, %v142
  %v176 = shl i64 %v170, 4
  %v177 = add i64 %v175, %v176
  %v178 = mul i64 %v177, %v130
  %v179 = icmp sle i64 %v173, %v178
  br label %v149
v149:
  %v180 = phi i1 [ %v179, %v166 ], [ true, %v91 ], [ true, %v148 ], [ true, %v162 ], [ true, %v158 ], [ true, %v154 ]
  br i1 %v180, label %v181, label %v182
v182:
  %v183 = mul i64 %v111, 3
  %v184 = shl i64 %v183, %v139
  store i64 %v184, ptr %v49, align 8
  br label %v181
v181:
  %v185 = phi i64 [ %v130, %v149 ], [ %v127, %v182 ]
  %v186 = phi i64 [ %v127, %v149 ], [ %v130, %v182 ]
  %v187 = phi i64 [ %v132, %v149 ], [ 0, %v182 ]
  %v188 = load i64, ptr %v53, align 8
  %v189 = icmp slt i64 %v188, 1
  br i1 %v189, label %v190, label %v191
v191:
  %v192 = add i64 %v138, 7
  %v193 = shl i64 %v192, 3
  %v194 = icmp slt i64 %v110, 1
  %v195 = shl i64 %v192, 3
  %v196 = icmp slt i64 %v110, 1
  %v197 = add i64 %v185, -1
  %v198 = inttoptr i64 %v186 to ptr
  %v199 = icmp slt i64 %v186, 33
  br label %v200
v201:
  %v202 = icmp eq i64 %v203, %v188
  br i1 %v202, label %v190, label %v200
v204:
  br i1 %v205, label %v206, label %v207
v207:
  %v208 = mul i64 %v195, %v203
  %v209 = add i64 %v208, %v137
  %v210 = inttoptr i64 %v209 to ptr
  %v211 = getelementptr i8, ptr %v210, i64 56
  %v212 = getelementptr i64, ptr %v211, i64 %v133
  %v213 = load i64, ptr %v212, align 8
  %v214 = getelementptr i8, ptr %v210, i64 32
  %v215 = load i64, ptr %v214, align 8
  %v216 = mul i64 %v215, %v109
  %v217 = add i64 %v216, %v213
  br i1 %v196, label %v206, label %v218
v218:
  %v219 = getelementptr i64, ptr %v211, i64 %v110
  %v220 = getelementptr i8, ptr %v219, i64 16
  br label %v221
v221:
  %v222 = phi i64 [ %v217, %v218 ], [ %v223, %v221 ]
  %v224 = phi i64 [ 0, %v218 ], [ %v225, %v221 ]
  %v225 = add nuw nsw i64 %v224, 1
  %v226 = getelementptr i64, ptr %v5, i64 %v224
  %v227 = load i64, ptr %v226, align 8
  %v228 = getelementptr i64, ptr %v220, i64 %v224
  %v229 = load i64, ptr %v228, align 8
  %v230 = mul i64 %v229, %v227
  %v223 = add i64 %v230, %v222
  %v231 = icmp eq i64 %v110, %v225
  br i1 %v231, label %v206, label %v221
v206:
  %v232 = phi i64 [ 0, %v204 ], [ 0, %v233 ], [ %v217, %v207 ], [ %v223, %v221 ]
  %v234 = phi i64 [ %v235, %v204 ], [ %v236, %v233 ], [ %v235, %v207 ], [ %v235, %v221 ]
  %v237 = phi i64 [ %v238, %v204 ], [ %v239, %v233 ], [ %v238, %v207 ], [ %v238, %v221 ]
  %v240 = phi i64 [ %v239, %v204 ], [ %v238, %v233 ], [ %v239, %v207 ], [ %v239, %v221 ]
  %v241 = phi i64 [ %v236, %v204 ], [ %v235, %v233 ], [ %v236, %v207 ], [ %v236, %v221 ]
  %v242 = phi i64 [ %v243, %v204 ], [ %v244, %v233 ], [ %v243, %v207 ], [ %v243, %v221 ]
  %v245 = phi i64 [ %v244, %v204 ], [ %v243, %v233 ], [ %v244, %v207 ], [ %v244, %v221 ]
  store i64 %v241, ptr %v54, align 8
  store i64 %v240, ptr %v55, align 8
  br i1 %v180, label %v246, label %v247
v247:
  %v248 = load i64, ptr %v56, align 8
  br label %v246
v246:
  %v249 = phi i64 [ %v248, %v247 ], [ %v124, %v206 ]
  %v250 = load i64, ptr %v44, align 8
  %v251 = load i64, ptr %v52, align 8
  %v252 = load i64, ptr %v253, align 8
  %v254 = shl nuw i64 1, %v251
  %v255 = add i64 %v197, %v254
  %v256 = ashr i64 %v255, %v251
  %v257 = add i64 %v256, 2
  %v258 = udiv i64 %v257, 3
  %v259 = icmp sgt i64 %v256, 1
  %v260 = mul nuw i64 %v258, 3
  %v261 = sub i64 %v260, %v256
  %v262 = icmp eq i64 %v261, 2
  %v263 = select i1 %v259, i1 %v262, i1 false
  br i1 %v263, label %v264, label %v265
v264:
  %v266 = icmp eq i64 %v256, 4
  br i1 %v266, label %v267, label %v268
v268:
  %v269 = load i64, ptr %v57, align 8
  %v270 = shl nuw i64 1, %v269
  %v271 = icmp slt i64 %v270, 8
  br i1 %v271, label %v267, label %v265
v267:
  %v272 = add nsw i64 %v258, -2
  br label %v265
v265:
  %v273 = phi i64 [ %v272, %v267 ], [ %v258, %v268 ], [ %v258, %v246 ]
  %v274 = add nuw i64 %v252, 255
  %v275 = lshr i64 %v274, 8
  %v276 = icmp slt i64 %v252, 1
  %v277 = icmp eq i64 %v275, 0
  %v278 = select i1 %v276, i1 true, i1 %v277
  br i1 %v278, label %v201, label %v279
v279:
  %v280 = sub nsw i64 0, %v281
  %v282 = and i64 %v240, 2047
  %v283 = icmp ne i64 %v282, 0
  %v284 = icmp ult i64 %v257, 9
  %v285 = inttoptr i64 %v240 to ptr
  %v286 = shl i64 %v250, 8
  %v287 = icmp ult i64 %v257, 3
  %v288 = getelementptr i8, ptr %v253, i64 40
  %v289 = getelementptr i8, ptr %v253, i64 48
  %v290 = mul i64 %v250, 3
  %v291 = shl i64 %v290, %v251
  br label %v292
v293:
  %v294 = icmp sgt i64 %v295, 1
  br i1 %v294, label %v292, label %v201
v296:
  %v297 = load i64, ptr %v50, align 8
  %v298 = and i64 %v297, 1
  %v299 = load i64, ptr %v45, align 8
  store i64 %v298, ptr %v62, align 8
  store i64 %v299, ptr %v63, align 8
  br label %v300
v301:
  %v302 = load i64, ptr %v49, align 8
  store i64 1, ptr %v60, align 8
  store i64 %v302, ptr %v61, align 8
  br label %v300
v300:
  %v303 = phi i64 [ %v116, %v296 ], [ %v249, %v301 ]
  %v304 = mul i64 %v305, %v240
  %v306 = add i64 %v304, %v245
  %v307 = load i64, ptr %v64, align 8
  %v308 = shl i64 %v241, %v307
  store i64 %v240, ptr %v55, align 8
  %v309 = load i64, ptr %v44, align 8
  %v310 = shl i64 %v309, 8
  %v311 = shl i64 %v310, %v307
  %v312 = udiv i64 131072, %v311
  %v313 = icmp ne i64 %v241, %v309
  %v314 = select i1 %v313, i1 true, i1 %v283
  %v315 = shl i64 %v312, %v307
  %v316 = icmp sgt i64 %v186, %v315
  %v317 = select i1 %v314, i1 true, i1 %v316
  %v318 = or i1 %v284, %v317
  br i1 %v318, label %v319, label %v320
v320:
  %v321 = load i64, ptr %v65, align 8
  %v322 = load i64, ptr %v66, align 8
  %v323 = inttoptr i64 %v322 to ptr
  %v324 = inttoptr i64 %v306 to ptr
  %v325 = inttoptr i64 %v326 to ptr
  %v327 = inttoptr i64 %v321 to ptr
  call void %v327(ptr %v323, ptr %v324, ptr %v285, ptr %v325, ptr %v198)
  %v328 = load i64, ptr %v66, align 8
  %v329 = load i64, ptr %v64, align 8
  %v330 = shl i64 %v250, %v329
  store i64 %v330, ptr %v55, align 8
  %v331 = shl i64 %v286, %v329
  %v332 = or i64 %v331, 64
  br label %v319
v319:
  %v333 = phi i64 [ %v306, %v300 ], [ %v328, %v320 ]
  %v334 = phi i64 [ %v308, %v300 ], [ %v332, %v320 ]
  br i1 %v287, label %v293, label %v335
v335:
  %v336 = mul i64 %v305, %v237
  %v337 = add i64 %v336, %v242
  %v338 = shl i64 %v305, 3
  %v339 = inttoptr i64 %v326 to ptr
  %v340 = icmp slt i64 %v341, 65
  %v342 = mul i64 %v343, %v237
  %v344 = add i64 %v342, %v242
  %v345 = select i1 %v346, i64 %v232, i64 %v344
  br label %v347
v348:
  %v349 = add i64 %v350, %v338
  %v351 = load i64, ptr %v289, align 8
  %v352 = add i64 %v353, %v109
  %v354 = shl i64 %v352, 3
  %v355 = add i64 %v351, %v354
  %v356 = load i64, ptr %v68, align 8
  %v357 = load i64, ptr %v69, align 8
  %v358 = inttoptr i64 %v357 to ptr
  %v359 = inttoptr i64 %v360 to ptr
  %v361 = inttoptr i64 %v349 to ptr
  %v362 = inttoptr i64 %v355 to ptr
  %v363 = inttoptr i64 %v364 to ptr
  %v365 = inttoptr i64 %v356 to ptr
  call void %v365(ptr %v358, ptr %v359, ptr %v361, ptr %v362, ptr %v339, ptr %v363)
  %v366 = load i64, ptr %v69, align 8
  store i64 %v366, ptr %v70, align 8
  store i64 %v291, ptr %v71, align 8
  br label %v367
v368:
  %v369 = load i64, ptr %v44, align 8
  %v370 = icmp eq i64 %v234, %v369
  br i1 %v370, label %v371, label %v372
v371:
  %v373 = load i64, ptr %v52, align 8
  %v374 = shl nsw i64 -1, %v373
  %v375 = xor i64 %v374, -1
  %v376 = and i64 %v364, %v375
  %v377 = icmp eq i64 %v376, 0
  br i1 %v377, label %v378, label %v372
v378:
  br i1 %v199, label %v379, label %v380
v380:
  %v381 = load i64, ptr %v58, align 8
  %v382 = mul i64 %v381, %v237
  %v383 = icmp slt i64 %v382, 32769
  br i1 %v383, label %v379, label %v372
v379:
  store i64 %v360, ptr %v77, align 8
  store i64 %v237, ptr %v78, align 8
  br label %v367
v372:
  %v384 = phi i64 [ %v234, %v368 ], [ %v237, %v380 ], [ %v237, %v371 ]
  %v385 = phi ptr [ %v72, %v368 ], [ %v73, %v380 ], [ %v73, %v371 ]
  %v386 = load i64, ptr %v385, align 8
  %v387 = load i64, ptr %v74, align 8
  %v388 = load i64, ptr %v58, align 8
  %v389 = inttoptr i64 %v387 to ptr
  %v390 = inttoptr i64 %v360 to ptr
  %v391 = inttoptr i64 %v384 to ptr
  %v392 = inttoptr i64 %v388 to ptr
  %v393 = inttoptr i64 %v364 to ptr
  %v394 = inttoptr i64 %v386 to ptr
  call void %v394(ptr %v389, ptr %v390, ptr %v391, ptr %v392, ptr %v393)
  %v395 = load i64, ptr %v74, align 8
  %v396 = mul i64 %v369, 3
  %v397 = load i64, ptr %v52, align 8
  %v398 = shl i64 %v396, %v397
  store i64 %v395, ptr %v75, align 8
  store i64 %v398, ptr %v76, align 8
  br label %v367
v367:
  br i1 %v340, label %v399, label %v400
v399:
  %v401 = mul i64 %v402, %v234
  %v403 = add i64 %v360, %v401
  %v404 = icmp eq i64 %v405, %v258
  %v406 = select i1 %v404, i64 %v345, i64 %v403
  br label %v400
v400:
  %v407 = phi i64 [ 0, %v367 ], [ %v406, %v399 ]
  %v408 = add i64 %v409, %v303
  %v410 = add i64 %v409, %v120
  %v411 = add i64 %v409, %v249
  store i64 %v333, ptr %v21, align 8
  store i64 %v408, ptr %v79, align 8
  store i64 %v410, ptr %v80, align 8
  store i64 %v411, ptr %v81, align 8
  %v412 = load i64, ptr %v64, align 8
  %v413 = shl nuw i64 1, %v412
  %v414 = load i64, ptr %v67, align 8
  %v415 = add i64 %v414, -1
  %v416 = load i64, ptr %v52, align 8
  %v417 = ashr i64 %v415, %v416
  %v418 = getelementptr i64, ptr %v82, i64 %v417
  %v419 = getelementptr i8, ptr %v418, i64 24
  %v420 = load i64, ptr %v419, align 8
  store i64 %v413, ptr %v83, align 8
  %v421 = ashr i64 %v186, %v412
  %v422 = icmp slt i64 %v421, 1
  br i1 %v422, label %v423, label %v424
v424:
  %v425 = inttoptr i64 %v420 to ptr
  br label %v426
v427:
  %v428 = load i64, ptr %v84, align 8
  %v429 = inttoptr i64 %v430 to ptr
  %v431 = inttoptr i64 %v428 to ptr
  call void %v431(ptr %v429)
  %v432 = add i64 %v430, %v237
  br label %v433
v433:
  %v434 = phi i64 [ %v432, %v427 ], [ 0, %v426 ]
  call void %v425(ptr %v21)
  %v435 = load i64, ptr %v21, align 8
  %v436 = add i64 %v435, %v334
  store i64 %v436, ptr %v21, align 8
  %v437 = load i64, ptr %v79, align 8
  %v438 = load i64, ptr %v85, align 8
  %v439 = load i64, ptr %v64, align 8
  %v440 = shl i64 %v438, %v439
  %v441 = add i64 %v440, %v437
  store i64 %v441, ptr %v79, align 8
  %v442 = load i64, ptr %v80, align 8
  %v443 = load i64, ptr %v48, align 8
  %v444 = shl i64 %v443, %v439
  %v445 = add i64 %v444, %v442
  store i64 %v445, ptr %v80, align 8
  %v446 = load i64, ptr %v81, align 8
  %v447 = load i64, ptr %v49, align 8
  %v448 = shl i64 %v447, %v439
  %v449 = add i64 %v448, %v446
  store i64 %v449, ptr %v81, align 8
  %v450 = icmp sgt i64 %v451, 1
  br i1 %v450, label %v426, label %v423
v423:
  %v452 = phi i64 [ %v407, %v400 ], [ %v434, %v433 ]
  %v453 = icmp eq i64 %v452, 0
  br i1 %v453, label %v454, label %v455
v455:
  %v456 = add i64 %v413, -1
  %v457 = and i64 %v456, %v186
  %v458 = icmp eq i64 %v457, 0
  br i1 %v458, label %v454, label %v459
v459:
  %v460 = load i64, ptr %v86, align 8
  %v461 = inttoptr i64 %v452 to ptr
  %v462 = inttoptr i64 %v460 to ptr
  call void %v462(ptr %v461)
  br label %v454
v426:
  %v430 = phi i64 [ %v407, %v424 ], [ %v434, %v433 ]
  %v451 = phi i64 [ %v421, %v424 ], [ %v463, %v433 ]
  %v463 = add nsw i64 %v451, -1
  %v464 = icmp eq i64 %v430, 0
  br i1 %v464, label %v433, label %v427
v454:
  %v465 = add i64 %v413, -1
  %v466 = and i64 %v465, %v186
  %v467 = load i64, ptr %v64, align 8
  %v468 = add i64 %v467, -1
  %v469 = shl nuw i64 1, %v468
  %v470 = icmp sgt i64 %v466, 0
  br i1 %v470, label %v471, label %v472
v471:
  %v473 = load i64, ptr %v67, align 8
  %v474 = add i64 %v473, -1
  %v475 = load i64, ptr %v52, align 8
  %v476 = ashr i64 %v474, %v475
  %v477 = getelementptr i64, ptr %v82, i64 %v476
  %v478 = load i64, ptr %v477, align 8
  %v479 = inttoptr i64 %v478 to ptr
  br label %v480
v480:
  %v481 = phi i64 [ %v482, %v480 ], [ %v466, %v471 ]
  %v483 = call i64 @llvm.smin.i64(i64 %v481, i64 %v469)
  store i64 %v483, ptr %v83, align 8
  call void %v479(ptr %v21)
  %v482 = sub i64 %v481, %v469
  %v484 = load i64, ptr %v21, align 8
  %v485 = load i64, ptr %v54, align 8
  %v486 = load i64, ptr %v64, align 8
  %v487 = add i64 %v486, -1
  %v488 = shl i64 %v485, %v487
  %v489 = add i64 %v488, %v484
  store i64 %v489, ptr %v21, align 8
  %v490 = load i64, ptr %v79, align 8
  %v491 = load i64, ptr %v87, align 8
  %v492 = shl i64 %v491, %v487
  %v493 = add i64 %v492, %v490
  store i64 %v493, ptr %v79, align 8
  %v494 = load i64, ptr %v80, align 8
  %v495 = load i64, ptr %v48, align 8
  %v496 = shl i64 %v495, %v487
  %v497 = add i64 %v496, %v494
  store i64 %v497, ptr %v80, align 8
  %v498 = load i64, ptr %v81, align 8
  %v499 = load i64, ptr %v49, align 8
  %v500 = shl i64 %v499, %v487
  %v501 = add i64 %v500, %v498
  store i64 %v501, ptr %v81, align 8
  %v502 = icmp sgt i64 %v482, 0
  br i1 %v502, label %v480, label %v472
v472:
  %v503 = icmp sgt i64 %v504, 1
  br i1 %v503, label %v347, label %v293
v292:
  %v305 = phi i64 [ 0, %v279 ], [ %v505, %v293 ]
  %v295 = phi i64 [ %v275, %v279 ], [ %v506, %v293 ]
  %v506 = add nsw i64 %v295, -1
  %v505 = add nuw i64 %v305, 256
  %v341 = sub i64 %v252, %v305
  %v326 = call i64 @llvm.smin.i64(i64 %v341, i64 256)
  %v343 = add i64 %v326, %v305
  %v346 = icmp eq i64 %v343, %v252
  %v507 = select i1 %v346, i1 %v205, i1 false
  %v508 = select i1 %v507, i64 %v187, i64 0
  store i64 %v326, ptr %v58, align 8
  store i64 %v508, ptr %v59, align 8
  %v509 = icmp eq i64 %v305, %v280
  br i1 %v509, label %v296, label %v301
v347:
  %v510 = phi i64 [ 0, %v335 ], [ %v405, %v472 ]
  %v504 = phi i64 [ %v258, %v335 ], [ %v511, %v472 ]
  %v511 = add nsw i64 %v504, -1
  %v405 = add nuw nsw i64 %v510, 1
  %v512 = call i64 @llvm.smin.i64(i64 %v273, i64 %v510)
  %v513 = sub i64 %v510, %v273
  %v514 = call i64 @llvm.smax.i64(i64 %v513, i64 0)
  %v515 = mul i64 %v512, 3
  %v516 = shl nuw i64 %v514, 1
  %v517 = add i64 %v516, %v515
  %v353 = shl i64 %v517, %v251
  %v518 = icmp slt i64 %v510, %v273
  %v519 = select i1 %v518, i64 3, i64 2
  %v402 = shl i64 %v519, %v251
  %v520 = sub i64 %v185, %v353
  %v364 = call i64 @llvm.smin.i64(i64 %v520, i64 %v402)
  store i64 %v364, ptr %v67, align 8
  %v521 = mul i64 %v353, %v234
  %v360 = add i64 %v337, %v521
  %v409 = mul i64 %v353, %v250
  %v350 = load i64, ptr %v288, align 8
  %v522 = icmp eq i64 %v350, 0
  br i1 %v522, label %v368, label %v348
v190:
  br i1 %v180, label %v523, label %v524
v524:
  %v525 = load i64, ptr %v88, align 8
  %v526 = load i64, ptr %v89, align 8
  %v527 = load i64, ptr %v46, align 8
  %v528 = load i64, ptr %v50, align 8
  %v529 = and i64 %v528, 2
  %v530 = load i64, ptr %v47, align 8
  %v531 = inttoptr i64 %v526 to ptr
  %v532 = inttoptr i64 %v185 to ptr
  %v533 = inttoptr i64 %v186 to ptr
  %v534 = inttoptr i64 %v120 to ptr
  %v535 = inttoptr i64 %v527 to ptr
  %v536 = inttoptr i64 %v529 to ptr
  %v537 = inttoptr i64 %v124 to ptr
  %v538 = inttoptr i64 %v530 to ptr
  %v539 = inttoptr i64 %v525 to ptr
  call void %v539(ptr %v531, ptr %v532, ptr %v533, ptr %v534, ptr %v535, ptr %v536, ptr %v537, ptr %v538)
  br label %v523
v200:
  %v281 = phi i64 [ 0, %v191 ], [ %v203, %v201 ]
  %v203 = add nuw nsw i64 %v281, 1
  %v540 = mul i64 %v193, %v281
  %v541 = add i64 %v540, %v137
  %v542 = load i64, ptr %v53, align 8
  %v205 = icmp eq i64 %v203, %v542
  %v253 = inttoptr i64 %v541 to ptr
  %v543 = getelementptr i8, ptr %v253, i64 56
  %v544 = load i64, ptr %v543, align 8
  %v545 = getelementptr i8, ptr %v253, i64 8
  %v236 = load i64, ptr %v545, align 8
  %v546 = mul i64 %v236, %v105
  %v547 = add i64 %v546, %v544
  %v548 = getelementptr i64, ptr %v543, i64 %v133
  %v549 = load i64, ptr %v548, align 8
  %v550 = getelementptr i8, ptr %v253, i64 32
  %v235 = load i64, ptr %v550, align 8
  %v551 = mul i64 %v235, %v109
  %v552 = add i64 %v551, %v549
  br i1 %v194, label %v233, label %v553
v553:
  %v554 = getelementptr i64, ptr %v543, i64 %v110
  %v555 = getelementptr i8, ptr %v554, i64 16
  br label %v556
v556:
  %v557 = phi i64 [ %v547, %v553 ], [ %v558, %v556 ]
  %v559 = phi i64 [ %v552, %v553 ], [ %v560, %v556 ]
  %v561 = phi i64 [ 0, %v553 ], [ %v562, %v556 ]
  %v562 = add nuw nsw i64 %v561, 1
  %v563 = getelementptr i64, ptr %v5, i64 %v561
  %v564 = load i64, ptr %v563, align 8
  %v565 = getelementptr i64, ptr %v543, i64 %v562
  %v566 = load i64, ptr %v565, align 8
  %v567 = mul i64 %v566, %v564
  %v558 = add i64 %v567, %v557
  %v568 = getelementptr i64, ptr %v555, i64 %v561
  %v569 = load i64, ptr %v568, align 8
  %v570 = mul i64 %v569, %v564
  %v560 = add i64 %v570, %v559
  %v571 = icmp eq i64 %v110, %v562
  br i1 %v571, label %v233, label %v556
v233:
  %v243 = phi i64 [ %v552, %v200 ], [ %v560, %v556 ]
  %v244 = phi i64 [ %v547, %v200 ], [ %v558, %v556 ]
  %v572 = getelementptr i8, ptr %v253, i64 16
  %v239 = load i64, ptr %v572, align 8
  %v573 = getelementptr i8, ptr %v253, i64 24
  %v238 = load i64, ptr %v573, align 8
  br i1 %v180, label %v204, label %v206
v523:
  %v574 = icmp sgt i64 %v575, 1
  br i1 %v574, label %v90, label %v26
v90:
  %v575 = phi i64 [ %v24, %v27 ], [ %v576, %v523 ]
  %v577 = phi i64 [ %v1, %v27 ], [ %v578, %v523 ]
  %v576 = add nsw i64 %v575, -1
  %v578 = add i64 %v577, 1
  %v579 = udiv i64 %v577, %v20
  %v580 = mul i64 %v579, %v20
  %v103 = urem i64 %v577, %v20
  %v100 = load i64, ptr %v29, align 8
  %v97 = load i64, ptr %v32, align 8
  %v93 = load i64, ptr %v35, align 8
  br i1 %v38, label %v95, label %v91
v95:
  %v581 = phi i64 [ %v101, %v95 ], [ %v100, %v90 ]
  %v582 = phi i64 [ %v98, %v95 ], [ %v97, %v90 ]
  %v583 = phi i64 [ %v94, %v95 ], [ %v93, %v90 ]
  %v584 = phi i64 [ %v585, %v95 ], [ %v579, %v90 ]
  %v586 = phi i64 [ %v587, %v95 ], [ %v37, %v90 ]
  %v588 = phi i64 [ %v589, %v95 ], [ %v23, %v90 ]
  %v589 = add i64 %v588, -1
  %v587 = add nsw i64 %v586, -1
  %v590 = getelementptr i64, ptr %v28, i64 %v589
  %v591 = load i64, ptr %v590, align 8
  %v585 = udiv i64 %v584, %v591
  %v592 = mul i64 %v585, %v591
  %v593 = urem i64 %v584, %v591
  %v594 = getelementptr i64, ptr %v5, i64 %v589
  store i64 %v593, ptr %v594, align 8
  %v595 = getelementptr i64, ptr %v39, i64 %v588
  %v596 = load i64, ptr %v595, align 8
  %v597 = mul i64 %v593, %v596
  %v101 = add i64 %v597, %v581
  %v598 = getelementptr i64, ptr %v41, i64 %v589
  %v599 = load i64, ptr %v598, align 8
  %v600 = getelementptr i64, ptr %v43, i64 %v589
  %v601 = load i64, ptr %v600, align 8
  %v602 = mul i64 %v599, %v593
  %v98 = add i64 %v602, %v582
  %v603 = mul i64 %v601, %v593
  %v94 = add i64 %v603, %v583
  %v604 = icmp sgt i64 %v586, 1
  br i1 %v604, label %v95, label %v91
v26:
  ret i32 0
}

define i32 @product_draft_float32(ptr %desc, i64 %v1, i64 %v2, i64 %v3) nounwind "no-jump-tables"="true" "no-builtins" {
v4:
  %v0 = ptrtoint ptr %desc to i64
  %v5 = alloca [64 x i64], align 8
  %v6 = inttoptr i64 %v0 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 8
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i8, ptr %v6, i64 24
  %v10 = load i64, ptr %v9, align 8
  %v11 = add i64 %v8, -1
  %v12 = add i64 %v11, %v10
  %v13 = udiv i64 %v12, %v10
  %v14 = load i64, ptr %v6, align 8
  %v15 = getelementptr i8, ptr %v6, i64 16
  %v16 = load i64, ptr %v15, align 8
  %v17 = add i64 %v14, -1
  %v18 = add i64 %v17, %v16
  %v19 = udiv i64 %v18, %v16
  %v20 = mul i64 %v19, %v13
  %v21 = inttoptr i64 %v3 to ptr
  %v22 = getelementptr i8, ptr %v21, i64 128
  %v23 = load i64, ptr %v22, align 8
  %v24 = sub i64 %v2, %v1
  %v25 = icmp slt i64 %v24, 1
  br i1 %v25, label %v26, label %v27
v27:
  %v28 = getelementptr i8, ptr %v6, i64 72
  %v29 = getelementptr i64, ptr %v28, i64 %v23
  %v30 = shl i64 %v23, 1
  %v31 = getelementptr i64, ptr %v28, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 8
  %v33 = mul i64 %v23, 3
  %v34 = getelementptr i64, ptr %v28, i64 %v33
  %v35 = getelementptr i8, ptr %v34, i64 16
  %v36 = icmp ugt i64 %v23, -9223372036854775808
  %v37 = select i1 %v36, i64 0, i64 %v23
  %v38 = icmp sgt i64 %v37, 0
  %v39 = getelementptr i64, ptr %v28, i64 %v23
  %v40 = getelementptr i64, ptr %v28, i64 %v30
  %v41 = getelementptr i8, ptr %v40, i64 16
  %v42 = getelementptr i64, ptr %v28, i64 %v33
  %v43 = getelementptr i8, ptr %v42, i64 24
  %v44 = getelementptr i8, ptr %v21, i64 136
  %v45 = getelementptr i8, ptr %v6, i64 32
  %v46 = getelementptr i8, ptr %v6, i64 40
  %v47 = getelementptr i8, ptr %v6, i64 48
  %v48 = getelementptr i8, ptr %v21, i64 64
  %v49 = getelementptr i8, ptr %v21, i64 80
  %v50 = getelementptr i8, ptr %v6, i64 56
  %v51 = getelementptr i8, ptr %v6, i64 64
  %v52 = add i64 %v0, 72
  %v53 = getelementptr i8, ptr %v21, i64 8
  %v54 = getelementptr i8, ptr %v21, i64 16
  %v55 = getelementptr i8, ptr %v21, i64 144
  %v56 = getelementptr i8, ptr %v21, i64 152
  %v57 = getelementptr i8, ptr %v21, i64 88
  %v58 = getelementptr i8, ptr %v21, i64 120
  %v59 = getelementptr i8, ptr %v21, i64 112
  %v60 = getelementptr i8, ptr %v21, i64 48
  %v61 = getelementptr i8, ptr %v21, i64 112
  %v62 = getelementptr i8, ptr %v21, i64 48
  %v63 = getelementptr i8, ptr %v21, i64 152
  %v64 = getelementptr i8, ptr %v21, i64 104
  %v65 = getelementptr i8, ptr %v21, i64 240
  %v66 = getelementptr i8, ptr %v21, i64 232
  %v67 = getelementptr i8, ptr %v21, i64 160
  %v68 = getelementptr i8, ptr %v21, i64 24
  %v69 = getelementptr i8, ptr %v21, i64 32
  %v70 = getelementptr i8, ptr %v21, i64 24
  %v71 = getelementptr i8, ptr %v21, i64 32
  %v72 = getelementptr i8, ptr %v21, i64 40
  %v73 = getelementptr i8, ptr %v21, i64 56
  %v74 = getelementptr i8, ptr %v21, i64 72
  %v75 = getelementptr i8, ptr %v21, i64 184
  %v76 = getelementptr i8, ptr %v21, i64 96
  %v77 = getelementptr i8, ptr %v21, i64 48
  br label %v78
v79:
  %v80 = icmp sgt i64 %v81, 1
  br i1 %v80, label %v78, label %v26
v82:
  %v83 = phi i64 [ %v84, %v78 ], [ %v85, %v86 ]
  %v87 = phi i64 [ %v88, %v78 ], [ %v89, %v86 ]
  %v90 = phi i64 [ %v91, %v78 ], [ %v92, %v86 ]
  %v93 = udiv i64 %v94, %v13
  %v95 = load i64, ptr %v15, align 8
  %v96 = mul i64 %v95, %v93
  %v97 = mul i64 %v93, %v13
  %v98 = urem i64 %v94, %v13
  %v99 = load i64, ptr %v9, align 8
  %v100 = mul i64 %v98, %v99
  %v101 = load i64, ptr %v22, align 8
  %v102 = load i64, ptr %v44, align 8
  %v103 = load i64, ptr %v45, align 8
  %v104 = mul i64 %v103, %v96
  %v105 = mul i64 %v102, %v100
  %v106 = add i64 %v105, %v90
  %v107 = add i64 %v106, %v104
  %v108 = load i64, ptr %v46, align 8
  %v109 = load i64, ptr %v47, align 8
  %v110 = mul i64 %v109, %v96
  %v111 = add i64 %v105, %v83
  %v112 = add i64 %v111, %v110
  %v113 = load i64, ptr %v6, align 8
  %v114 = sub i64 %v113, %v96
  %v115 = call i64 @llvm.smin.i64(i64 %v114, i64 %v95)
  %v116 = load i64, ptr %v7, align 8
  %v117 = sub i64 %v116, %v100
  %v118 = call i64 @llvm.smin.i64(i64 %v117, i64 %v99)
  store i64 %v108, ptr %v48, align 8
  store i64 %v109, ptr %v49, align 8
  %v119 = load i64, ptr %v50, align 8
  %v120 = and i64 %v119, 2
  %v121 = load i64, ptr %v51, align 8
  %v122 = icmp slt i64 %v121, 1
  br i1 %v122, label %v79, label %v123
v123:
  %v124 = mul i64 %v108, %v96
  %v125 = add i64 %v101, 1
  %v126 = mul i64 %v125, 3
  %v127 = add i64 %v126, %v101
  %v128 = shl i64 %v125, 1
  %v129 = add i64 %v128, 7
  %v130 = icmp slt i64 %v101, 1
  %v131 = add i64 %v118, -1
  %v132 = icmp slt i64 %v115, 33
  %v133 = add i64 %v105, %v87
  %v134 = add i64 %v133, %v124
  %v135 = icmp sgt i64 %v115, 0
  br label %v136
v137:
  %v138 = icmp eq i64 %v139, %v121
  br i1 %v138, label %v79, label %v136
v136:
  %v140 = phi i64 [ 0, %v123 ], [ %v139, %v137 ]
  %v139 = add nuw nsw i64 %v140, 1
  %v141 = mul i64 %v140, %v129
  %v142 = add i64 %v127, %v141
  %v143 = shl i64 %v142, 3
  %v144 = add i64 %v52, %v143
  %v145 = load i64, ptr %v51, align 8
  %v146 = icmp eq i64 %v139, %v145
  %v147 = inttoptr i64 %v144 to ptr
  %v148 = getelementptr i8, ptr %v147, i64 56
  %v149 = load i64, ptr %v148, align 8
  %v150 = getelementptr i8, ptr %v147, i64 8
  %v151 = load i64, ptr %v150, align 8
  %v152 = mul i64 %v151, %v96
  %v153 = add i64 %v152, %v149
  %v154 = getelementptr i64, ptr %v148, i64 %v125
  %v155 = load i64, ptr %v154, align 8
  %v156 = getelementptr i8, ptr %v147, i64 32
  %v157 = load i64, ptr %v156, align 8
  %v158 = mul i64 %v157, %v100
  %v159 = add i64 %v158, %v155
  br i1 %v130, label %v160, label %v161
v161:
  %v162 = getelementptr i64, ptr %v148, i64 %v101
  %v163 = getelementptr i8, ptr %v162, i64 16
  br label %v164
v164:
  %v165 = phi i64 [ %v153, %v161 ], [ %v166, %v164 ]
  %v167 = phi i64 [ %v159, %v161 ], [ %v168, %v164 ]
  %v169 = phi i64 [ 0, %v161 ], [ %v170, %v164 ]
  %v170 = add nuw nsw i64 %v169, 1
  %v171 = getelementptr i64, ptr %v5, i64 %v169
  %v172 = load i64, ptr %v171, align 8
  %v173 = getelementptr i64, ptr %v148, i64 %v170
  %v174 = load i64, ptr %v173, align 8
  %v175 = mul i64 %v174, %v172
  %v166 = add i64 %v175, %v165
  %v176 = getelementptr i64, ptr %v163, i64 %v169
  %v177 = load i64, ptr %v176, align 8
  %v178 = mul i64 %v177, %v172
  %v168 = add i64 %v178, %v167
  %v179 = icmp eq i64 %v101, %v170
  br i1 %v179, label %v160, label %v164
v160:
  %v180 = phi i64 [ %v159, %v136 ], [ %v168, %v164 ]
  %v181 = phi i64 [ %v153, %v136 ], [ %v166, %v164 ]
  %v182 = getelementptr i8, ptr %v147, i64 16
  %v183 = load i64, ptr %v182, align 8
  %v184 = getelementptr i8, ptr %v147, i64 24
  %v185 = load i64, ptr %v184, align 8
  store i64 %v151, ptr %v53, align 8
  store i64 %v183, ptr %v54, align 8
  %v186 = load i64, ptr %v44, align 8
  %v187 = load i64, ptr %v55, align 8
  %v188 = load i64, ptr %v147, align 8
  %v189 = shl nuw i64 1, %v187
  %v190 = add i64 %v131, %v189
  %v191 = ashr i64 %v190, %v187
  %v192 = add i64 %v191, 2
  %v193 = udiv i64 %v192, 3
  %v194 = icmp sgt i64 %v191, 1
  %v195 = mul nuw i64 %v193, 3
  %v196 = sub i64 %v195, %v191
  %v197 = icmp eq i64 %v196, 2
  %v198 = select i1 %v194, i1 %v197, i1 false
  br i1 %v198, label %v199, label %v200
v199:
  %v201 = icmp eq i64 %v191, 4
  br i1 %v201, label %v202, label %v203
v203:
  %v204 = load i64, ptr %v56, align 8
  %v205 = shl nuw i64 1, %v204
  %v206 = icmp slt i64 %v205, 8
  br i1 %v206, label %v202, label %v200
v202:
  %v207 = add nsw i64 %v193, -2
  br label %v200
v200:
  %v208 = phi i64 [ %v207, %v202 ], [ %v193, %v203 ], [ %v193, %v160 ]
  %v209 = add nuw i64 %v188, 255
  %v210 = lshr i64 %v209, 8
  %v211 = icmp slt i64 %v188, 1
  %v212 = icmp eq i64 %v210, 0
  %v213 = select i1 %v211, i1 true, i1 %v212
  br i1 %v213, label %v137, label %v214
v214:
  %v215 = sub nsw i64 0, %v140
  %v216 = icmp ult i64 %v192, 3
  br label %v217
v218:
  %v219 = icmp sgt i64 %v220, 1
  br i1 %v219, label %v217, label %v137
v221:
  %v222 = load i64, ptr %v50, align 8
  %v223 = and i64 %v222, 1
  %v224 = load i64, ptr %v45, align 8
  store i64 %v223, ptr %v61, align 8
  store i64 %v224, ptr %v62, align 8
  br label %v225
v226:
  %v227 = load i64, ptr %v49, align 8
  store i64 1, ptr %v59, align 8
  store i64 %v227, ptr %v60, align 8
  br label %v225
v225:
  %v228 = phi i64 [ %v107, %v221 ], [ %v112, %v226 ]
  %v229 = mul i64 %v230, %v183
  %v231 = add i64 %v229, %v181
  store i64 %v183, ptr %v54, align 8
  br i1 %v216, label %v218, label %v232
v232:
  %v233 = mul i64 %v230, %v185
  %v234 = add i64 %v233, %v180
  br label %v235
v217:
  %v230 = phi i64 [ 0, %v214 ], [ %v236, %v218 ]
  %v220 = phi i64 [ %v210, %v214 ], [ %v237, %v218 ]
  %v237 = add nsw i64 %v220, -1
  %v236 = add nuw i64 %v230, 256
  %v238 = sub i64 %v188, %v230
  %v239 = call i64 @llvm.smin.i64(i64 %v238, i64 256)
  %v240 = add i64 %v239, %v230
  %v241 = icmp eq i64 %v240, %v188
  %v242 = select i1 %v241, i1 %v146, i1 false
  %v243 = select i1 %v242, i64 %v120, i64 0
  store i64 %v239, ptr %v57, align 8
  store i64 %v243, ptr %v58, align 8
  %v244 = icmp eq i64 %v230, %v215
  br i1 %v244, label %v221, label %v226
v235:
  %v245 = phi i64 [ 0, %v232 ], [ %v246, %v247 ]
  %v248 = phi i64 [ %v193, %v232 ], [ %v249, %v247 ]
  %v249 = add nsw i64 %v248, -1
  %v246 = add nuw nsw i64 %v245, 1
  %v250 = call i64 @llvm.smin.i64(i64 %v208, i64 %v245)
  %v251 = sub i64 %v245, %v208
  %v252 = call i64 @llvm.smax.i64(i64 %v251, i64 0)
  %v253 = mul i64 %v250, 3
  %v254 = shl nuw i64 %v252, 1
  %v255 = add i64 %v254, %v253
  %v256 = shl i64 %v255, %v187
  %v257 = icmp slt i64 %v245, %v208
  %v258 = select i1 %v257, i64 3, i64 2
  %v259 = shl i64 %v258, %v187
  %v260 = sub i64 %v118, %v256
  %v261 = call i64 @llvm.smin.i64(i64 %v260, i64 %v259)
  store i64 %v261, ptr %v64, align 8
  %v262 = mul i64 %v256, %v157
  %v263 = add i64 %v234, %v262
  %v264 = mul i64 %v256, %v186
  %v265 = load i64, ptr %v44, align 8
  %v266 = icmp eq i64 %v157, %v265
  br i1 %v266, label %v267, label %v268
v267:
  %v269 = load i64, ptr %v55, align 8
  %v270 = shl nsw i64 -1, %v269
  %v271 = xor i64 %v270, -1
  %v272 = and i64 %v261, %v271
  %v273 = icmp eq i64 %v272, 0
  br i1 %v273, label %v274, label %v268
v274:
  br i1 %v132, label %v275, label %v276
v276:
  %v277 = load i64, ptr %v57, align 8
  %v278 = mul i64 %v277, %v185
  %v279 = icmp slt i64 %v278, 32769
  br i1 %v279, label %v275, label %v268
v275:
  store i64 %v263, ptr %v70, align 8
  store i64 %v185, ptr %v71, align 8
  br label %v280
v268:
  %v281 = phi i64 [ %v157, %v235 ], [ %v185, %v276 ], [ %v185, %v267 ]
  %v282 = phi ptr [ %v65, %v235 ], [ %v66, %v276 ], [ %v66, %v267 ]
  %v283 = load i64, ptr %v282, align 8
  %v284 = load i64, ptr %v67, align 8
  %v285 = load i64, ptr %v57, align 8
  %v286 = inttoptr i64 %v284 to ptr
  %v287 = inttoptr i64 %v263 to ptr
  %v288 = inttoptr i64 %v281 to ptr
  %v289 = inttoptr i64 %v285 to ptr
  %v290 = inttoptr i64 %v261 to ptr
  %v291 = inttoptr i64 %v283 to ptr
  call void %v291(ptr %v286, ptr %v287, ptr %v288, ptr %v289, ptr %v290)
  %v292 = load i64, ptr %v67, align 8
  %v293 = mul i64 %v265, 3
  %v294 = load i64, ptr %v55, align 8
  %v295 = shl i64 %v293, %v294
  store i64 %v292, ptr %v68, align 8
  store i64 %v295, ptr %v69, align 8
  br label %v280
v280:
  %v296 = add i64 %v264, %v228
  %v297 = add i64 %v134, %v264
  %v298 = add i64 %v264, %v112
  store i64 %v231, ptr %v21, align 8
  store i64 %v296, ptr %v72, align 8
  store i64 %v297, ptr %v73, align 8
  store i64 %v298, ptr %v74, align 8
  %v299 = load i64, ptr %v63, align 8
  %v300 = add i64 %v299, -1
  %v301 = shl nuw i64 1, %v300
  br i1 %v135, label %v302, label %v247
v302:
  %v303 = load i64, ptr %v64, align 8
  %v304 = add i64 %v303, -1
  %v305 = load i64, ptr %v55, align 8
  %v306 = ashr i64 %v304, %v305
  %v307 = getelementptr i64, ptr %v75, i64 %v306
  %v308 = load i64, ptr %v307, align 8
  %v309 = inttoptr i64 %v308 to ptr
  br label %v310
v310:
  %v311 = phi i64 [ %v312, %v310 ], [ %v115, %v302 ]
  %v313 = call i64 @llvm.smin.i64(i64 %v311, i64 %v301)
  store i64 %v313, ptr %v76, align 8
  call void %v309(ptr %v21)
  %v312 = sub i64 %v311, %v301
  %v314 = load i64, ptr %v21, align 8
  %v315 = load i64, ptr %v53, align 8
  %v316 = load i64, ptr %v63, align 8
  %v317 = add i64 %v316, -1
  %v318 = shl i64 %v315, %v317
  %v319 = add i64 %v318, %v314
  store i64 %v319, ptr %v21, align 8
  %v320 = load i64, ptr %v72, align 8
  %v321 = load i64, ptr %v77, align 8
  %v322 = shl i64 %v321, %v317
  %v323 = add i64 %v322, %v320
  store i64 %v323, ptr %v72, align 8
  %v324 = load i64, ptr %v73, align 8
  %v325 = load i64, ptr %v48, align 8
  %v326 = shl i64 %v325, %v317
  %v327 = add i64 %v326, %v324
  store i64 %v327, ptr %v73, align 8
  %v328 = load i64, ptr %v74, align 8
  %v329 = load i64, ptr %v49, align 8
  %v330 = shl i64 %v329, %v317
  %v331 = add i64 %v330, %v328
  store i64 %v331, ptr %v74, align 8
  %v332 = icmp sgt i64 %v312, 0
  br i1 %v332, label %v310, label %v247
v247:
  %v333 = icmp sgt i64 %v248, 1
  br i1 %v333, label %v235, label %v218
v78:
  %v81 = phi i64 [ %v24, %v27 ], [ %v334, %v79 ]
  %v335 = phi i64 [ %v1, %v27 ], [ %v336, %v79 ]
  %v334 = add nsw i64 %v81, -1
  %v336 = add i64 %v335, 1
  %v337 = udiv i64 %v335, %v20
  %v338 = mul i64 %v337, %v20
  %v94 = urem i64 %v335, %v20
  %v91 = load i64, ptr %v29, align 8
  %v88 = load i64, ptr %v32, align 8
  %v84 = load i64, ptr %v35, align 8
  br i1 %v38, label %v86, label %v82
v86:
  %v339 = phi i64 [ %v92, %v86 ], [ %v91, %v78 ]
  %v340 = phi i64 [ %v89, %v86 ], [ %v88, %v78 ]
  %v341 = phi i64 [ %v85, %v86 ], [ %v84, %v78 ]
  %v342 = phi i64 [ %v343, %v86 ], [ %v337, %v78 ]
  %v344 = phi i64 [ %v345, %v86 ], [ %v37, %v78 ]
  %v346 = phi i64 [ %v347, %v86 ], [ %v23, %v78 ]
  %v347 = add i64 %v346, -1
  %v345 = add nsw i64 %v344, -1
  %v348 = getelementptr i64, ptr %v28, i64 %v347
  %v349 = load i64, ptr %v348, align 8
  %v343 = udiv i64 %v342, %v349
  %v350 = mul i64 %v343, %v349
  %v351 = urem i64 %v342, %v349
  %v352 = getelementptr i64, ptr %v5, i64 %v347
  store i64 %v351, ptr %v352, align 8
  %v353 = getelementptr i64, ptr %v39, i64 %v346
  %v354 = load i64, ptr %v353, align 8
  %v355 = mul i64 %v351, %v354
  %v92 = add i64 %v355, %v339
  %v356 = getelementptr i64, ptr %v41, i64 %v347
  %v357 = load i64, ptr %v356, align 8
  %v358 = getelementptr i64, ptr %v43, i64 %v347
  %v359 = load i64, ptr %v358, align 8
  %v360 = mul i64 %v357, %v351
  %v89 = add i64 %v360, %v340
  %v361 = mul i64 %v359, %v351
  %v85 = add i64 %v361, %v341
  %v362 = icmp sgt i64 %v344, 1
  br i1 %v362, label %v86, label %v82
v26:
  ret i32 0
}

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)
