; numba 0.68.1, llvmlite 0.50.0, Python 3.11
define internal fastcc void @advance(ptr %v0, i64 %v1) nounwind "no-jump-tables"="true" "no-builtins" {
v2:
  %v3 = alloca i64, align 8
  %v4 = alloca i64, align 8
  %v5 = inttoptr i64 %v1 to ptr
  %v6 = load i64, ptr %v5, align 8
  %v7 = icmp sgt i64 %v6, 3
  br i1 %v7, label %v8, label %v9
v8:
  %v10 = icmp eq i64 %v6, 4
  br i1 %v10, label %v11, label %v12
v11:
  %v13 = getelementptr i8, ptr %v5, i64 160
  %v14 = load i64, ptr %v13, align 8
  %v15 = icmp slt i64 %v14, 16385
  br i1 %v15, label %v16, label %v17
v16:
  %v18 = getelementptr i8, ptr %v5, i64 152
  %v19 = load i64, ptr %v18, align 8
  %v20 = icmp slt i64 %v19, 1
  br i1 %v20, label %v21, label %v22
v22:
  %v23 = getelementptr i8, ptr %v5, i64 96
  %v24 = load i64, ptr %v23, align 8
  %v25 = getelementptr i8, ptr %v5, i64 296
  %v26 = load i64, ptr %v25, align 8
  %v27 = inttoptr i64 %v26 to ptr
  %v28 = inttoptr i64 %v24 to ptr
  br label %v29
v30:
  %v31 = xor i64 %v32, -1
  store i64 %v31, ptr %v33, align 8
  %v34 = getelementptr i64, ptr %v28, i64 %v35
  %v36 = load i64, ptr %v34, align 8
  %v37 = add i64 %v36, %v32
  br label %v38
v38:
  %v39 = phi i64 [ %v37, %v30 ], [ %v32, %v29 ]
  %v40 = icmp eq i64 %v41, %v19
  br i1 %v40, label %v21, label %v29
v29:
  %v32 = phi i64 [ 0, %v22 ], [ %v39, %v38 ]
  %v35 = phi i64 [ 0, %v22 ], [ %v41, %v38 ]
  %v41 = add nuw nsw i64 %v35, 1
  %v33 = getelementptr i64, ptr %v27, i64 %v35
  %v42 = load i64, ptr %v33, align 8
  %v43 = icmp eq i64 %v42, 0
  br i1 %v43, label %v30, label %v38
v17:
  %v44 = getelementptr i8, ptr %v5, i64 48
  %v45 = load i64, ptr %v44, align 8
  %v46 = getelementptr i8, ptr %v5, i64 128
  %v47 = load i64, ptr %v46, align 8
  %v48 = shl i64 %v45, 6
  %v49 = add i64 %v47, %v48
  %v50 = inttoptr i64 %v49 to ptr
  br label %v51
v52:
  %v53 = shl i64 %v45, 5
  %v54 = add i64 %v47, %v53
  %v55 = getelementptr i8, ptr %v5, i64 152
  %v56 = load i64, ptr %v55, align 8
  %v57 = icmp slt i64 %v56, 1
  br i1 %v57, label %v58, label %v59
v59:
  %v60 = inttoptr i64 %v47 to ptr
  br label %v61
v58:
  %v62 = getelementptr i8, ptr %v5, i64 176
  %v63 = load i64, ptr %v62, align 8
  %v64 = icmp slt i64 %v63, 1
  br i1 %v64, label %v65, label %v66
v66:
  %v67 = getelementptr i8, ptr %v5, i64 104
  %v68 = load i64, ptr %v67, align 8
  %v69 = getelementptr i8, ptr %v5, i64 296
  %v70 = load i64, ptr %v69, align 8
  %v71 = inttoptr i64 %v70 to ptr
  %v72 = inttoptr i64 %v47 to ptr
  br label %v73
v74:
  %v75 = getelementptr i64, ptr %v72, i64 %v76
  store i64 %v77, ptr %v75, align 8
  br label %v78
v78:
  %v79 = icmp eq i64 %v80, %v81
  br i1 %v79, label %v82, label %v83
v82:
  %v84 = getelementptr i8, ptr %v85, i64 88
  %v86 = load i64, ptr %v84, align 8
  %v87 = icmp slt i64 %v86, 1
  br i1 %v87, label %v88, label %v89
v89:
  %v90 = getelementptr i8, ptr %v91, i64 16
  br label %v92
v93:
  %v94 = getelementptr i64, ptr %v71, i64 %v95
  %v96 = load i64, ptr %v94, align 8
  %v97 = icmp eq i64 %v96, 0
  br i1 %v97, label %v98, label %v99
v98:
  %v100 = getelementptr i64, ptr %v72, i64 %v95
  store i64 %v77, ptr %v100, align 8
  br label %v99
v99:
  %v101 = icmp eq i64 %v102, %v86
  br i1 %v101, label %v88, label %v92
v88:
  %v103 = load i64, ptr %v84, align 8
  %v104 = add i64 %v105, 16
  %v106 = shl i64 %v103, 3
  %v107 = add i64 %v104, %v106
  %v108 = icmp eq i64 %v109, %v63
  br i1 %v108, label %v65, label %v73
v73:
  %v105 = phi i64 [ %v68, %v66 ], [ %v107, %v88 ]
  %v77 = phi i64 [ 0, %v66 ], [ %v109, %v88 ]
  %v109 = add nuw nsw i64 %v77, 1
  %v91 = inttoptr i64 %v105 to ptr
  %v110 = load i64, ptr %v91, align 8
  %v85 = inttoptr i64 %v110 to ptr
  %v111 = getelementptr i8, ptr %v85, i64 96
  %v81 = load i64, ptr %v111, align 8
  %v112 = icmp slt i64 %v81, 1
  br i1 %v112, label %v82, label %v113
v113:
  %v114 = getelementptr i8, ptr %v91, i64 8
  br label %v83
v83:
  %v115 = phi i64 [ 0, %v113 ], [ %v80, %v78 ]
  %v80 = add nuw nsw i64 %v115, 1
  %v116 = load i64, ptr %v114, align 8
  %v76 = add i64 %v116, %v115
  %v117 = getelementptr i64, ptr %v71, i64 %v76
  %v118 = load i64, ptr %v117, align 8
  %v119 = icmp eq i64 %v118, 0
  br i1 %v119, label %v74, label %v78
v92:
  %v120 = phi i64 [ 0, %v89 ], [ %v102, %v99 ]
  %v102 = add nuw nsw i64 %v120, 1
  %v121 = getelementptr i64, ptr %v90, i64 %v120
  %v95 = load i64, ptr %v121, align 8
  %v122 = icmp sgt i64 %v95, -1
  br i1 %v122, label %v93, label %v99
v65:
  %v123 = load i64, ptr %v62, align 8
  %v124 = icmp slt i64 %v123, 1
  br i1 %v124, label %v21, label %v125
v125:
  %v126 = getelementptr i8, ptr %v5, i64 104
  %v127 = load i64, ptr %v126, align 8
  %v128 = getelementptr i8, ptr %v5, i64 96
  %v129 = load i64, ptr %v128, align 8
  %v130 = getelementptr i8, ptr %v5, i64 296
  %v131 = load i64, ptr %v130, align 8
  %v132 = inttoptr i64 %v131 to ptr
  %v133 = inttoptr i64 %v129 to ptr
  %v134 = inttoptr i64 %v54 to ptr
  %v135 = inttoptr i64 %v47 to ptr
  br label %v136
v137:
  %v138 = getelementptr i64, ptr %v133, i64 %v139
  %v140 = load i64, ptr %v138, align 8
  %v141 = mul i64 %v140, -7046029254386353131
  %v142 = lshr i64 %v141, 29
  %v143 = xor i64 %v142, %v141
  %v144 = and i64 %v143, 63
  %v145 = getelementptr i64, ptr %v50, i64 %v144
  %v146 = load i64, ptr %v145, align 8
  %v147 = icmp eq i64 %v146, -1
  br i1 %v147, label %v148, label %v149
v149:
  %v150 = getelementptr i64, ptr %v133, i64 %v146
  %v151 = load i64, ptr %v150, align 8
  %v152 = icmp eq i64 %v151, %v140
  br i1 %v152, label %v148, label %v153
v153:
  %v154 = phi i64 [ %v155, %v156 ], [ %v146, %v149 ]
  %v157 = getelementptr i64, ptr %v134, i64 %v154
  %v155 = load i64, ptr %v157, align 8
  %v158 = icmp eq i64 %v155, -1
  br i1 %v158, label %v148, label %v156
v156:
  %v159 = getelementptr i64, ptr %v133, i64 %v155
  %v160 = load i64, ptr %v159, align 8
  %v161 = icmp eq i64 %v160, %v140
  br i1 %v161, label %v148, label %v153
v148:
  %v162 = phi i64 [ -1, %v149 ], [ -1, %v137 ], [ %v154, %v153 ], [ %v154, %v156 ]
  %v163 = phi i64 [ %v146, %v149 ], [ -1, %v137 ], [ %v155, %v156 ], [ -1, %v153 ]
  %v164 = icmp eq i64 %v163, -1
  br i1 %v164, label %v165, label %v166
v166:
  %v167 = icmp eq i64 %v162, -1
  %v168 = getelementptr i64, ptr %v134, i64 %v163
  %v169 = load i64, ptr %v168, align 8
  br i1 %v167, label %v170, label %v171
v170:
  store i64 %v169, ptr %v145, align 8
  br label %v172
v171:
  %v173 = getelementptr i64, ptr %v134, i64 %v162
  store i64 %v169, ptr %v173, align 8
  br label %v172
v165:
  %v174 = xor i64 %v175, -1
  store i64 %v174, ptr %v176, align 8
  %v177 = add i64 %v140, %v175
  br label %v178
v172:
  %v179 = getelementptr i64, ptr %v132, i64 %v163
  %v180 = load i64, ptr %v179, align 8
  store i64 %v180, ptr %v176, align 8
  br label %v178
v181:
  %v182 = phi i64 [ %v183, %v136 ], [ %v184, %v178 ]
  %v185 = load i64, ptr %v186, align 8
  %v187 = icmp slt i64 %v185, 1
  br i1 %v187, label %v188, label %v189
v189:
  %v190 = getelementptr i8, ptr %v191, i64 8
  br label %v192
v193:
  %v194 = getelementptr i64, ptr %v133, i64 %v195
  %v196 = load i64, ptr %v194, align 8
  %v197 = mul i64 %v196, -7046029254386353131
  %v198 = lshr i64 %v197, 29
  %v199 = xor i64 %v198, %v197
  %v200 = and i64 %v199, 63
  %v201 = getelementptr i64, ptr %v50, i64 %v200
  %v202 = load i64, ptr %v201, align 8
  %v203 = getelementptr i64, ptr %v134, i64 %v195
  store i64 %v202, ptr %v203, align 8
  store i64 %v195, ptr %v201, align 8
  store i64 -2, ptr %v204, align 8
  br label %v205
v205:
  %v206 = icmp eq i64 %v207, %v185
  br i1 %v206, label %v188, label %v192
v188:
  %v208 = getelementptr i8, ptr %v209, i64 88
  %v210 = load i64, ptr %v208, align 8
  %v211 = icmp slt i64 %v210, 1
  br i1 %v211, label %v212, label %v213
v213:
  %v214 = getelementptr i8, ptr %v191, i64 16
  br label %v215
v216:
  %v217 = getelementptr i64, ptr %v135, i64 %v218
  %v219 = load i64, ptr %v217, align 8
  %v220 = icmp eq i64 %v219, %v221
  br i1 %v220, label %v222, label %v223
v222:
  %v224 = getelementptr i64, ptr %v133, i64 %v218
  %v225 = load i64, ptr %v224, align 8
  %v226 = mul i64 %v225, -7046029254386353131
  %v227 = lshr i64 %v226, 29
  %v228 = xor i64 %v227, %v226
  %v229 = and i64 %v228, 63
  %v230 = getelementptr i64, ptr %v50, i64 %v229
  %v231 = load i64, ptr %v230, align 8
  %v232 = getelementptr i64, ptr %v134, i64 %v218
  store i64 %v231, ptr %v232, align 8
  store i64 %v218, ptr %v230, align 8
  store i64 -2, ptr %v217, align 8
  br label %v223
v223:
  %v233 = icmp eq i64 %v234, %v210
  br i1 %v233, label %v212, label %v215
v212:
  %v235 = load i64, ptr %v208, align 8
  %v236 = add i64 %v237, 16
  %v238 = shl i64 %v235, 3
  %v239 = add i64 %v236, %v238
  %v240 = icmp eq i64 %v241, %v123
  br i1 %v240, label %v21, label %v136
v178:
  %v184 = phi i64 [ %v177, %v165 ], [ %v175, %v172 ], [ %v175, %v242 ]
  %v243 = icmp eq i64 %v244, %v245
  br i1 %v243, label %v181, label %v242
v51:
  %v246 = phi i64 [ 0, %v17 ], [ %v247, %v51 ]
  %v247 = add nuw nsw i64 %v246, 1
  %v248 = getelementptr i64, ptr %v50, i64 %v246
  store i64 -1, ptr %v248, align 8
  %v249 = icmp eq i64 %v247, 64
  br i1 %v249, label %v52, label %v51
v61:
  %v250 = phi i64 [ 0, %v59 ], [ %v251, %v61 ]
  %v251 = add nuw nsw i64 %v250, 1
  %v252 = getelementptr i64, ptr %v60, i64 %v250
  store i64 -1, ptr %v252, align 8
  %v253 = icmp eq i64 %v251, %v56
  br i1 %v253, label %v58, label %v61
v136:
  %v183 = phi i64 [ 0, %v125 ], [ %v182, %v212 ]
  %v237 = phi i64 [ %v127, %v125 ], [ %v239, %v212 ]
  %v221 = phi i64 [ 0, %v125 ], [ %v241, %v212 ]
  %v241 = add nuw nsw i64 %v221, 1
  %v191 = inttoptr i64 %v237 to ptr
  %v254 = load i64, ptr %v191, align 8
  %v209 = inttoptr i64 %v254 to ptr
  %v186 = getelementptr i8, ptr %v209, i64 96
  %v245 = load i64, ptr %v186, align 8
  %v255 = icmp slt i64 %v245, 1
  br i1 %v255, label %v181, label %v256
v256:
  %v257 = getelementptr i8, ptr %v191, i64 8
  br label %v242
v242:
  %v175 = phi i64 [ %v183, %v256 ], [ %v184, %v178 ]
  %v258 = phi i64 [ 0, %v256 ], [ %v244, %v178 ]
  %v244 = add nuw nsw i64 %v258, 1
  %v259 = load i64, ptr %v257, align 8
  %v139 = add i64 %v259, %v258
  %v176 = getelementptr i64, ptr %v132, i64 %v139
  %v260 = load i64, ptr %v176, align 8
  %v261 = icmp eq i64 %v260, 0
  br i1 %v261, label %v137, label %v178
v192:
  %v262 = phi i64 [ 0, %v189 ], [ %v207, %v205 ]
  %v207 = add nuw nsw i64 %v262, 1
  %v263 = load i64, ptr %v190, align 8
  %v195 = add i64 %v263, %v262
  %v204 = getelementptr i64, ptr %v135, i64 %v195
  %v264 = load i64, ptr %v204, align 8
  %v265 = icmp eq i64 %v264, %v221
  br i1 %v265, label %v193, label %v205
v215:
  %v266 = phi i64 [ 0, %v213 ], [ %v234, %v223 ]
  %v234 = add nuw nsw i64 %v266, 1
  %v267 = getelementptr i64, ptr %v214, i64 %v266
  %v218 = load i64, ptr %v267, align 8
  %v268 = icmp sgt i64 %v218, -1
  br i1 %v268, label %v216, label %v223
v21:
  %v269 = phi i64 [ %v39, %v38 ], [ 0, %v16 ], [ 0, %v65 ], [ %v182, %v212 ]
  %v270 = getelementptr i8, ptr %v5, i64 320
  store i64 %v269, ptr %v270, align 8
  br label %v12
v12:
  %v271 = getelementptr i8, ptr %v5, i64 320
  %v272 = load i64, ptr %v271, align 8
  %v273 = and i64 %v272, -64
  %v274 = add i64 %v273, 64
  %v275 = getelementptr i8, ptr %v5, i64 224
  %v276 = load i64, ptr %v275, align 8
  %v277 = and i64 %v276, -64
  %v278 = add i64 %v277, 64
  %v279 = add i64 %v278, %v274
  %v280 = getelementptr i8, ptr %v5, i64 208
  %v281 = load i64, ptr %v280, align 8
  %v282 = mul i64 %v281, 48
  %v283 = add i64 %v279, %v282
  %v284 = getelementptr i8, ptr %v5, i64 216
  %v285 = load i64, ptr %v284, align 8
  %v286 = shl i64 %v285, 3
  %v287 = add i64 %v283, %v286
  %v288 = getelementptr i8, ptr %v5, i64 312
  %v289 = load i64, ptr %v288, align 8
  %v290 = icmp sgt i64 %v287, %v289
  br i1 %v290, label %v291, label %v292
v291:
  %v293 = sub i64 0, %v287
  br label %v294
v292:
  %v295 = getelementptr i8, ptr %v5, i64 304
  %v296 = load i64, ptr %v295, align 8
  %v297 = add i64 %v296, %v274
  %v298 = getelementptr i8, ptr %v5, i64 328
  store i64 %v297, ptr %v298, align 8
  %v299 = add i64 %v296, %v279
  %v300 = getelementptr i8, ptr %v5, i64 344
  store i64 %v299, ptr %v300, align 8
  %v301 = add i64 %v296, %v283
  %v302 = getelementptr i8, ptr %v5, i64 352
  store i64 %v301, ptr %v302, align 8
  br label %v294
v294:
  %v303 = phi i64 [ 0, %v292 ], [ %v293, %v291 ]
  %v304 = icmp eq i64 %v303, 0
  br i1 %v304, label %v305, label %v306
v305:
  %v307 = getelementptr i8, ptr %v5, i64 296
  %v308 = load i64, ptr %v307, align 8
  %v309 = getelementptr i8, ptr %v5, i64 304
  %v310 = load i64, ptr %v309, align 8
  %v311 = getelementptr i8, ptr %v5, i64 152
  %v312 = load i64, ptr %v311, align 8
  %v313 = icmp slt i64 %v312, 1
  br i1 %v313, label %v314, label %v315
v315:
  %v316 = inttoptr i64 %v308 to ptr
  br label %v317
v318:
  %v319 = xor i64 %v320, -1
  %v321 = add i64 %v310, %v319
  store i64 %v321, ptr %v322, align 8
  br label %v323
v323:
  %v324 = icmp eq i64 %v325, %v312
  br i1 %v324, label %v314, label %v317
v314:
  %v326 = getelementptr i8, ptr %v5, i64 176
  %v327 = load i64, ptr %v326, align 8
  %v328 = icmp slt i64 %v327, 1
  br i1 %v328, label %v306, label %v329
v329:
  %v330 = getelementptr i8, ptr %v5, i64 104
  %v331 = load i64, ptr %v330, align 8
  %v332 = getelementptr i8, ptr %v5, i64 336
  %v333 = load i64, ptr %v332, align 8
  %v334 = getelementptr i8, ptr %v5, i64 352
  %v335 = load i64, ptr %v334, align 8
  %v336 = getelementptr i8, ptr %v5, i64 344
  %v337 = load i64, ptr %v336, align 8
  %v338 = getelementptr i8, ptr %v5, i64 328
  %v339 = inttoptr i64 %v308 to ptr
  br label %v340
v341:
  %v342 = phi i64 [ %v343, %v340 ], [ %v344, %v345 ]
  %v346 = phi i64 [ %v347, %v340 ], [ %v348, %v345 ]
  %v349 = getelementptr i8, ptr %v350, i64 24
  %v351 = load i64, ptr %v349, align 8
  %v352 = icmp slt i64 %v351, 1
  br i1 %v352, label %v353, label %v354
v354:
  %v355 = getelementptr i8, ptr %v350, i64 16
  %v356 = load i64, ptr %v355, align 8
  %v357 = inttoptr i64 %v356 to ptr
  %v358 = inttoptr i64 %v359 to ptr
  br label %v360
v353:
  %v361 = getelementptr i8, ptr %v350, i64 32
  %v362 = load i64, ptr %v361, align 8
  %v363 = getelementptr i8, ptr %v350, i64 40
  %v364 = load i64, ptr %v363, align 8
  %v365 = icmp slt i64 %v364, 1
  br i1 %v365, label %v366, label %v367
v367:
  %v368 = add i64 %v369, 1
  %v370 = getelementptr i8, ptr %v371, i64 8
  %v372 = getelementptr i8, ptr %v371, i64 16
  %v373 = inttoptr i64 %v359 to ptr
  br label %v374
v375:
  %v376 = getelementptr i64, ptr %v372, i64 %v377
  %v378 = load i64, ptr %v376, align 8
  %v379 = getelementptr i64, ptr %v339, i64 %v378
  %v380 = load i64, ptr %v379, align 8
  br label %v381
v382:
  %v383 = icmp eq i64 %v377, %v369
  br i1 %v383, label %v384, label %v385
v384:
  %v386 = load i64, ptr %v370, align 8
  %v387 = getelementptr i8, ptr %v388, i64 16
  %v389 = load i64, ptr %v387, align 8
  %v390 = getelementptr i64, ptr %v339, i64 %v386
  %v391 = getelementptr i64, ptr %v390, i64 %v389
  %v392 = load i64, ptr %v391, align 8
  br label %v381
v385:
  %v393 = icmp eq i64 %v377, %v368
  br i1 %v393, label %v394, label %v381
v394:
  %v395 = load i64, ptr %v338, align 8
  br label %v381
v381:
  %v396 = phi i64 [ %v380, %v375 ], [ %v392, %v384 ], [ %v395, %v394 ], [ %v397, %v385 ]
  %v398 = getelementptr i8, ptr %v388, i64 24
  %v399 = load i64, ptr %v398, align 8
  %v400 = add i64 %v399, %v396
  %v401 = load i64, ptr %v388, align 8
  %v402 = getelementptr i64, ptr %v373, i64 %v401
  store i64 %v400, ptr %v402, align 8
  %v403 = icmp eq i64 %v404, %v364
  br i1 %v403, label %v366, label %v374
v366:
  %v405 = getelementptr i8, ptr %v350, i64 48
  %v406 = load i64, ptr %v405, align 8
  %v407 = getelementptr i8, ptr %v350, i64 56
  %v408 = load i64, ptr %v407, align 8
  %v409 = icmp slt i64 %v408, 1
  br i1 %v409, label %v410, label %v411
v411:
  %v412 = inttoptr i64 %v359 to ptr
  %v413 = inttoptr i64 %v397 to ptr
  br label %v414
v410:
  %v415 = load i64, ptr %v349, align 8
  %v416 = getelementptr i8, ptr %v350, i64 72
  %v417 = load i64, ptr %v416, align 8
  %v418 = add i64 %v419, 16
  %v420 = shl i64 %v369, 3
  %v421 = add i64 %v418, %v420
  %v422 = shl i64 %v417, 3
  %v423 = add i64 %v422, %v397
  %v424 = add i64 %v415, %v425
  %v426 = shl i64 %v415, 3
  %v427 = add i64 %v426, %v359
  %v428 = icmp sgt i64 %v429, 1
  br i1 %v428, label %v340, label %v306
v317:
  %v430 = phi i64 [ 0, %v315 ], [ %v325, %v323 ]
  %v325 = add nuw nsw i64 %v430, 1
  %v322 = getelementptr i64, ptr %v316, i64 %v430
  %v320 = load i64, ptr %v322, align 8
  %v431 = icmp slt i64 %v320, 0
  br i1 %v431, label %v318, label %v323
v340:
  %v347 = phi i64 [ 0, %v329 ], [ %v346, %v410 ]
  %v425 = phi i64 [ 0, %v329 ], [ %v424, %v410 ]
  %v419 = phi i64 [ %v331, %v329 ], [ %v421, %v410 ]
  %v397 = phi i64 [ %v333, %v329 ], [ %v423, %v410 ]
  %v359 = phi i64 [ %v335, %v329 ], [ %v427, %v410 ]
  %v343 = phi i64 [ %v337, %v329 ], [ %v342, %v410 ]
  %v429 = phi i64 [ %v327, %v329 ], [ %v432, %v410 ]
  %v432 = add nsw i64 %v429, -1
  %v371 = inttoptr i64 %v419 to ptr
  %v433 = load i64, ptr %v371, align 8
  %v350 = inttoptr i64 %v433 to ptr
  %v434 = getelementptr i8, ptr %v350, i64 88
  %v369 = load i64, ptr %v434, align 8
  %v435 = load i64, ptr %v350, align 8
  %v436 = getelementptr i8, ptr %v350, i64 8
  %v437 = load i64, ptr %v436, align 8
  %v438 = icmp slt i64 %v437, 1
  br i1 %v438, label %v341, label %v345
v345:
  %v439 = phi i64 [ %v348, %v345 ], [ %v347, %v340 ]
  %v440 = phi i64 [ %v344, %v345 ], [ %v343, %v340 ]
  %v441 = phi i64 [ %v442, %v345 ], [ 0, %v340 ]
  %v442 = add nuw nsw i64 %v441, 1
  %v443 = mul i64 %v441, 48
  %v444 = add i64 %v443, %v435
  %v445 = inttoptr i64 %v444 to ptr
  %v446 = load i64, ptr %v445, align 8
  %v447 = inttoptr i64 %v440 to ptr
  store i64 %v446, ptr %v447, align 8
  %v448 = getelementptr i8, ptr %v445, i64 8
  %v449 = load i64, ptr %v448, align 8
  %v450 = add i64 %v449, %v425
  %v451 = getelementptr i8, ptr %v447, i64 8
  store i64 %v450, ptr %v451, align 8
  %v452 = getelementptr i8, ptr %v445, i64 16
  %v453 = load i64, ptr %v452, align 8
  %v454 = getelementptr i8, ptr %v447, i64 16
  store i64 %v453, ptr %v454, align 8
  %v455 = getelementptr i8, ptr %v445, i64 24
  %v456 = load i64, ptr %v455, align 8
  %v457 = getelementptr i8, ptr %v447, i64 24
  store i64 %v456, ptr %v457, align 8
  %v458 = getelementptr i8, ptr %v445, i64 32
  %v459 = load i64, ptr %v458, align 8
  %v460 = getelementptr i8, ptr %v447, i64 32
  store i64 %v459, ptr %v460, align 8
  %v461 = getelementptr i8, ptr %v445, i64 40
  %v462 = load i64, ptr %v461, align 8
  %v463 = getelementptr i8, ptr %v447, i64 40
  store i64 %v462, ptr %v463, align 8
  %v464 = load i64, ptr %v452, align 8
  %v465 = load i64, ptr %v458, align 8
  %v466 = mul i64 %v465, %v464
  %v467 = load i64, ptr %v461, align 8
  %v468 = and i64 %v467, 1
  %v469 = icmp ne i64 %v468, 0
  %v470 = icmp sgt i64 %v466, 3999999
  %v471 = select i1 %v469, i1 %v470, i1 false
  %v472 = select i1 %v471, i64 %v466, i64 0
  %v348 = add i64 %v472, %v439
  %v344 = add i64 %v440, 48
  %v473 = icmp eq i64 %v437, %v442
  br i1 %v473, label %v341, label %v345
v360:
  %v474 = phi i64 [ 0, %v354 ], [ %v475, %v360 ]
  %v475 = add nuw nsw i64 %v474, 1
  %v476 = getelementptr i64, ptr %v357, i64 %v474
  %v477 = load i64, ptr %v476, align 8
  %v478 = getelementptr i64, ptr %v358, i64 %v474
  store i64 %v477, ptr %v478, align 8
  %v479 = icmp eq i64 %v475, %v351
  br i1 %v479, label %v353, label %v360
v374:
  %v480 = phi i64 [ 0, %v367 ], [ %v404, %v381 ]
  %v404 = add nuw nsw i64 %v480, 1
  %v481 = shl i64 %v480, 5
  %v482 = add i64 %v481, %v362
  %v388 = inttoptr i64 %v482 to ptr
  %v483 = getelementptr i8, ptr %v388, i64 8
  %v377 = load i64, ptr %v483, align 8
  %v484 = icmp slt i64 %v377, %v369
  br i1 %v484, label %v375, label %v382
v414:
  %v485 = phi i64 [ 0, %v411 ], [ %v486, %v414 ]
  %v486 = add nuw nsw i64 %v485, 1
  %v487 = mul i64 %v485, 24
  %v488 = add i64 %v487, %v406
  %v489 = inttoptr i64 %v488 to ptr
  %v490 = load i64, ptr %v489, align 8
  %v491 = getelementptr i64, ptr %v412, i64 %v490
  %v492 = load i64, ptr %v491, align 8
  %v493 = getelementptr i8, ptr %v489, i64 8
  %v494 = load i64, ptr %v493, align 8
  %v495 = getelementptr i64, ptr %v413, i64 %v494
  %v496 = load i64, ptr %v495, align 8
  %v497 = getelementptr i8, ptr %v489, i64 16
  %v498 = load i64, ptr %v497, align 8
  %v499 = mul i64 %v498, %v496
  %v500 = add i64 %v499, %v492
  store i64 %v500, ptr %v491, align 8
  %v501 = icmp eq i64 %v486, %v408
  br i1 %v501, label %v410, label %v414
v306:
  %v502 = phi i64 [ 0, %v503 ], [ %v504, %v505 ], [ %v506, %v507 ], [ %v303, %v294 ], [ 0, %v314 ], [ %v346, %v410 ], [ %v506, %v508 ], [ %v506, %v509 ]
  store i64 %v502, ptr %v0, align 8
  ret void
v9:
  %v510 = icmp eq i64 %v6, 2
  br i1 %v510, label %v511, label %v512
v512:
  store i64 0, ptr %v4, align 8
  %v513 = getelementptr i8, ptr %v5, i64 8
  %v514 = getelementptr i8, ptr %v5, i64 16
  %v515 = load i64, ptr %v514, align 8
  %v516 = getelementptr i8, ptr %v5, i64 136
  %v517 = load i64, ptr %v516, align 8
  %v518 = getelementptr i8, ptr %v5, i64 144
  %v519 = getelementptr i8, ptr %v5, i64 56
  %v520 = load i64, ptr %v519, align 8
  %v521 = getelementptr i8, ptr %v5, i64 48
  %v522 = load i64, ptr %v521, align 8
  %v523 = icmp slt i64 %v517, %v515
  br i1 %v523, label %v524, label %v505
v524:
  %v525 = load i64, ptr %v518, align 8
  %v526 = getelementptr i8, ptr %v5, i64 24
  %v527 = load i64, ptr %v526, align 8
  %v528 = load i64, ptr %v513, align 8
  %v529 = inttoptr i64 %v528 to ptr
  %v530 = getelementptr i8, ptr %v5, i64 200
  %v531 = getelementptr i8, ptr %v5, i64 184
  %v532 = shl i64 %v522, 1
  %v533 = getelementptr i8, ptr %v5, i64 112
  %v534 = getelementptr i8, ptr %v5, i64 152
  %v535 = shl i64 %v522, 2
  %v536 = getelementptr i8, ptr %v5, i64 96
  %v537 = inttoptr i64 %v527 to ptr
  %v538 = getelementptr i8, ptr %v5, i64 168
  %v539 = getelementptr i8, ptr %v5, i64 192
  %v540 = getelementptr i8, ptr %v5, i64 128
  %v541 = shl i64 %v522, 5
  %v542 = getelementptr i8, ptr %v5, i64 72
  br label %v543
v543:
  %v544 = phi i64 [ %v545, %v546 ], [ %v517, %v524 ]
  %v547 = phi i64 [ %v548, %v546 ], [ %v525, %v524 ]
  %v549 = icmp slt i64 %v547, %v522
  br i1 %v549, label %v550, label %v505
v550:
  %v551 = shl i64 %v547, 6
  %v552 = add i64 %v551, %v520
  %v553 = getelementptr i64, ptr %v529, i64 %v544
  %v554 = load i64, ptr %v553, align 8
  %v555 = load i64, ptr %v530, align 8
  %v556 = inttoptr i64 %v552 to ptr
  %v557 = getelementptr i8, ptr %v556, i64 56
  store i64 %v555, ptr %v557, align 8
  %v558 = icmp sgt i64 %v554, -1
  br i1 %v558, label %v559, label %v560
v559:
  %v561 = getelementptr i64, ptr %v537, i64 %v554
  %v562 = load i64, ptr %v561, align 8
  %v563 = inttoptr i64 %v562 to ptr
  %v564 = getelementptr i8, ptr %v563, i64 8
  %v565 = load i64, ptr %v564, align 8
  %v566 = load i64, ptr %v521, align 8
  %v567 = load i64, ptr %v563, align 8
  %v568 = icmp eq i64 %v567, 0
  br i1 %v568, label %v569, label %v570
v570:
  %v571 = inttoptr i64 %v567 to ptr
  %v572 = getelementptr i8, ptr %v571, i64 96
  %v573 = load i64, ptr %v572, align 8
  %v574 = getelementptr i8, ptr %v571, i64 88
  %v575 = load i64, ptr %v574, align 8
  %v576 = getelementptr i8, ptr %v571, i64 72
  %v577 = load i64, ptr %v576, align 8
  %v578 = add i64 %v575, 2
  br label %v569
v569:
  %v579 = phi i64 [ %v573, %v570 ], [ 0, %v559 ]
  %v580 = phi i64 [ %v578, %v570 ], [ 2, %v559 ]
  %v581 = phi i64 [ %v577, %v570 ], [ 0, %v559 ]
  %v582 = load i64, ptr %v534, align 8
  %v583 = add i64 %v582, %v579
  %v584 = shl i64 %v566, 2
  %v585 = icmp slt i64 %v583, %v584
  br i1 %v585, label %v586, label %v505
v586:
  %v587 = load i64, ptr %v538, align 8
  %v588 = add i64 %v587, %v580
  %v589 = shl i64 %v566, 4
  %v590 = icmp slt i64 %v588, %v589
  br i1 %v590, label %v591, label %v505
v591:
  %v592 = load i64, ptr %v539, align 8
  %v593 = add i64 %v592, %v581
  %v594 = shl i64 %v566, 1
  %v595 = icmp slt i64 %v593, %v594
  br i1 %v595, label %v596, label %v505
v596:
  %v597 = load i64, ptr %v531, align 8
  %v598 = getelementptr i8, ptr %v563, i64 24
  %v599 = load i64, ptr %v598, align 8
  %v600 = add i64 %v599, %v597
  %v601 = icmp slt i64 %v600, %v594
  br i1 %v601, label %v602, label %v505
v602:
  %v603 = getelementptr i8, ptr %v563, i64 16
  %v604 = load i64, ptr %v603, align 8
  %v605 = add i64 %v604, %v565
  %v606 = icmp sgt i64 %v605, %v535
  br i1 %v606, label %v505, label %v607
v607:
  %v608 = load i64, ptr %v540, align 8
  %v609 = add i64 %v608, %v541
  %v610 = load i64, ptr %v519, align 8
  %v611 = icmp sgt i64 %v565, 0
  br i1 %v611, label %v612, label %v613
v612:
  %v614 = load i64, ptr %v513, align 8
  %v615 = inttoptr i64 %v614 to ptr
  %v616 = getelementptr i64, ptr %v615, i64 %v544
  %v617 = getelementptr i8, ptr %v616, i64 16
  %v618 = inttoptr i64 %v609 to ptr
  %v619 = inttoptr i64 %v608 to ptr
  br label %v620
v621:
  %v622 = shl i64 %v623, 6
  %v624 = add i64 %v622, %v610
  %v625 = inttoptr i64 %v624 to ptr
  %v626 = getelementptr i8, ptr %v625, i64 8
  %v627 = load i64, ptr %v626, align 8
  %v628 = getelementptr i64, ptr %v619, i64 %v629
  store i64 %v627, ptr %v628, align 8
  %v630 = getelementptr i8, ptr %v625, i64 24
  %v631 = load i64, ptr %v630, align 8
  %v632 = icmp slt i64 %v631, 1
  br i1 %v632, label %v633, label %v634
v634:
  %v635 = getelementptr i8, ptr %v625, i64 16
  %v636 = load i64, ptr %v635, align 8
  %v637 = load i64, ptr %v533, align 8
  %v638 = inttoptr i64 %v637 to ptr
  %v639 = getelementptr i64, ptr %v638, i64 %v636
  br label %v640
v640:
  %v641 = phi i64 [ %v642, %v634 ], [ %v643, %v640 ]
  %v644 = phi i64 [ 0, %v634 ], [ %v645, %v640 ]
  %v645 = add nuw nsw i64 %v644, 1
  %v646 = getelementptr i64, ptr %v639, i64 %v644
  %v647 = load i64, ptr %v646, align 8
  %v648 = getelementptr i64, ptr %v618, i64 %v641
  store i64 %v647, ptr %v648, align 8
  %v643 = add i64 %v641, 1
  %v649 = icmp eq i64 %v645, %v631
  br i1 %v649, label %v633, label %v640
v633:
  %v650 = phi i64 [ %v642, %v621 ], [ %v643, %v640 ]
  %v651 = add i64 %v629, 1
  br label %v652
v653:
  %v654 = icmp sgt i64 %v623, -4
  br i1 %v654, label %v655, label %v652
v655:
  %v656 = getelementptr i64, ptr %v618, i64 %v642
  store i64 %v657, ptr %v656, align 8
  %v658 = add i64 %v642, 1
  %v659 = add i64 %v657, 1
  br label %v652
v652:
  %v660 = phi i64 [ %v657, %v633 ], [ %v659, %v655 ], [ %v657, %v653 ]
  %v661 = phi i64 [ %v651, %v633 ], [ %v629, %v655 ], [ %v629, %v653 ]
  %v662 = phi i64 [ %v650, %v633 ], [ %v658, %v655 ], [ %v642, %v653 ]
  %v663 = icmp eq i64 %v664, %v565
  br i1 %v663, label %v613, label %v620
v620:
  %v642 = phi i64 [ 0, %v612 ], [ %v662, %v652 ]
  %v629 = phi i64 [ 0, %v612 ], [ %v661, %v652 ]
  %v657 = phi i64 [ %v555, %v612 ], [ %v660, %v652 ]
  %v665 = phi i64 [ 0, %v612 ], [ %v664, %v652 ]
  %v664 = add nuw nsw i64 %v665, 1
  %v666 = getelementptr i64, ptr %v617, i64 %v665
  %v623 = load i64, ptr %v666, align 8
  %v667 = icmp sgt i64 %v623, -1
  br i1 %v667, label %v621, label %v653
v613:
  %v668 = load i64, ptr %v563, align 8
  store i64 0, ptr %v4, align 8
  call fastcc void @paste(ptr %v4, i64 %v1, i64 %v668, i64 %v608, i64 %v609)
  %v669 = getelementptr i8, ptr %v563, i64 40
  %v670 = getelementptr i8, ptr %v563, i64 48
  %v671 = load i64, ptr %v670, align 8
  %v672 = icmp sgt i64 %v671, -1
  br i1 %v672, label %v673, label %v674
v673:
  %v675 = load i64, ptr %v4, align 8
  %v676 = add i64 %v675, %v671
  br label %v677
v674:
  %v678 = getelementptr i8, ptr %v563, i64 56
  %v679 = load i64, ptr %v678, align 8
  %v680 = icmp sgt i64 %v679, -1
  br i1 %v680, label %v681, label %v677
v681:
  %v682 = inttoptr i64 %v608 to ptr
  %v683 = getelementptr i64, ptr %v682, i64 %v679
  %v684 = load i64, ptr %v683, align 8
  br label %v677
v677:
  %v685 = phi i64 [ %v676, %v673 ], [ %v684, %v681 ], [ -1, %v674 ]
  %v686 = getelementptr i8, ptr %v563, i64 64
  %v687 = load i64, ptr %v686, align 8
  %v688 = load i64, ptr %v531, align 8
  %v689 = icmp slt i64 %v687, 1
  br i1 %v689, label %v690, label %v691
v691:
  %v692 = load i64, ptr %v533, align 8
  %v693 = getelementptr i8, ptr %v563, i64 72
  %v694 = inttoptr i64 %v609 to ptr
  %v695 = inttoptr i64 %v692 to ptr
  %v696 = getelementptr i64, ptr %v695, i64 %v688
  br label %v697
v697:
  %v698 = phi i64 [ 0, %v691 ], [ %v699, %v697 ]
  %v699 = add nuw nsw i64 %v698, 1
  %v700 = getelementptr i64, ptr %v693, i64 %v698
  %v701 = load i64, ptr %v700, align 8
  %v702 = getelementptr i64, ptr %v694, i64 %v701
  %v703 = load i64, ptr %v702, align 8
  %v704 = getelementptr i64, ptr %v696, i64 %v698
  store i64 %v703, ptr %v704, align 8
  %v705 = icmp eq i64 %v699, %v687
  br i1 %v705, label %v690, label %v697
v690:
  %v706 = add i64 %v688, %v687
  store i64 %v706, ptr %v531, align 8
  %v707 = load i64, ptr %v669, align 8
  store i64 %v707, ptr %v556, align 8
  %v708 = getelementptr i8, ptr %v556, i64 8
  store i64 %v685, ptr %v708, align 8
  %v709 = getelementptr i8, ptr %v556, i64 16
  store i64 %v688, ptr %v709, align 8
  %v710 = getelementptr i8, ptr %v556, i64 24
  store i64 %v687, ptr %v710, align 8
  br i1 %v611, label %v711, label %v712
v711:
  %v713 = getelementptr i8, ptr %v553, i64 16
  br label %v714
v712:
  %v715 = phi i64 [ %v555, %v690 ], [ %v716, %v714 ]
  store i64 %v715, ptr %v530, align 8
  %v717 = getelementptr i8, ptr %v553, i64 8
  %v718 = load i64, ptr %v717, align 8
  %v719 = getelementptr i8, ptr %v563, i64 32
  %v720 = load i64, ptr %v719, align 8
  %v721 = icmp eq i64 %v720, 0
  br i1 %v721, label %v722, label %v723
v723:
  %v724 = getelementptr i8, ptr %v553, i64 16
  %v725 = load i64, ptr %v724, align 8
  %v726 = shl i64 %v725, 6
  %v727 = add i64 %v726, %v520
  %v728 = inttoptr i64 %v727 to ptr
  %v729 = getelementptr i8, ptr %v728, i64 40
  %v730 = load i64, ptr %v729, align 8
  %v731 = icmp eq i64 %v730, %v718
  br i1 %v731, label %v732, label %v722
v732:
  %v733 = getelementptr i8, ptr %v728, i64 32
  %v734 = load i64, ptr %v733, align 8
  br label %v722
v722:
  %v735 = phi i64 [ %v734, %v732 ], [ %v547, %v723 ], [ %v547, %v712 ]
  %v736 = add i64 %v565, 2
  br label %v546
v560:
  switch i64 %v554, label %v546 [
    i64 -1, label %v737
    i64 -3, label %v738
    i64 -4, label %v739
    i64 -2, label %v740
  ]
v737:
  %v741 = load i64, ptr %v534, align 8
  %v742 = add i64 %v741, 1
  %v743 = icmp slt i64 %v742, %v535
  br i1 %v743, label %v744, label %v505
v744:
  %v745 = load i64, ptr %v536, align 8
  %v746 = inttoptr i64 %v745 to ptr
  %v747 = getelementptr i64, ptr %v746, i64 %v741
  store i64 0, ptr %v747, align 8
  store i64 %v742, ptr %v534, align 8
  %v748 = getelementptr i8, ptr %v553, i64 8
  %v749 = load i64, ptr %v748, align 8
  %v750 = getelementptr i8, ptr %v553, i64 16
  %v751 = load i64, ptr %v750, align 8
  store i64 %v751, ptr %v556, align 8
  %v752 = getelementptr i8, ptr %v556, i64 8
  store i64 %v741, ptr %v752, align 8
  %v753 = getelementptr i8, ptr %v556, i64 24
  store i64 0, ptr %v753, align 8
  br label %v546
v738:
  %v754 = getelementptr i8, ptr %v553, i64 16
  %v755 = load i64, ptr %v754, align 8
  %v756 = shl i64 %v755, 6
  %v757 = add i64 %v756, %v520
  %v758 = inttoptr i64 %v757 to ptr
  %v759 = load i64, ptr %v758, align 8
  store i64 %v759, ptr %v556, align 8
  %v760 = getelementptr i8, ptr %v758, i64 8
  %v761 = load i64, ptr %v760, align 8
  %v762 = getelementptr i8, ptr %v556, i64 8
  store i64 %v761, ptr %v762, align 8
  %v763 = getelementptr i8, ptr %v758, i64 16
  %v764 = load i64, ptr %v763, align 8
  %v765 = getelementptr i8, ptr %v556, i64 16
  store i64 %v764, ptr %v765, align 8
  %v766 = getelementptr i8, ptr %v758, i64 24
  %v767 = load i64, ptr %v766, align 8
  %v768 = getelementptr i8, ptr %v556, i64 24
  store i64 %v767, ptr %v768, align 8
  %v769 = getelementptr i8, ptr %v553, i64 8
  %v770 = load i64, ptr %v769, align 8
  br label %v546
v739:
  %v771 = getelementptr i8, ptr %v553, i64 24
  %v772 = load i64, ptr %v771, align 8
  %v773 = load i64, ptr %v531, align 8
  %v774 = add i64 %v773, %v772
  %v775 = icmp slt i64 %v774, %v532
  br i1 %v775, label %v776, label %v505
v776:
  %v777 = getelementptr i8, ptr %v553, i64 8
  %v778 = load i64, ptr %v777, align 8
  store i64 %v778, ptr %v556, align 8
  %v779 = getelementptr i8, ptr %v553, i64 16
  %v780 = load i64, ptr %v779, align 8
  %v781 = getelementptr i8, ptr %v556, i64 8
  store i64 %v780, ptr %v781, align 8
  %v782 = getelementptr i8, ptr %v556, i64 16
  store i64 %v773, ptr %v782, align 8
  %v783 = getelementptr i8, ptr %v556, i64 24
  store i64 %v772, ptr %v783, align 8
  %v784 = icmp slt i64 %v772, 1
  br i1 %v784, label %v785, label %v786
v786:
  %v787 = load i64, ptr %v533, align 8
  %v788 = getelementptr i8, ptr %v553, i64 32
  %v789 = inttoptr i64 %v787 to ptr
  %v790 = getelementptr i64, ptr %v789, i64 %v773
  br label %v791
v785:
  store i64 %v774, ptr %v531, align 8
  %v792 = add i64 %v772, 4
  br label %v546
v740:
  store i64 -1, ptr %v556, align 8
  br label %v546
v546:
  %v793 = phi i64 [ %v735, %v722 ], [ %v547, %v744 ], [ %v547, %v738 ], [ %v547, %v785 ], [ %v547, %v740 ], [ %v547, %v560 ]
  %v794 = phi i64 [ %v718, %v722 ], [ %v749, %v744 ], [ %v770, %v738 ], [ 0, %v785 ], [ 0, %v740 ], [ 0, %v560 ]
  %v795 = phi i64 [ %v736, %v722 ], [ 3, %v744 ], [ 4, %v738 ], [ %v792, %v785 ], [ 1, %v740 ], [ 1, %v560 ]
  %v796 = getelementptr i8, ptr %v556, i64 32
  store i64 %v793, ptr %v796, align 8
  %v797 = getelementptr i8, ptr %v556, i64 40
  store i64 %v794, ptr %v797, align 8
  %v798 = getelementptr i8, ptr %v556, i64 48
  store i64 %v544, ptr %v798, align 8
  %v799 = load i64, ptr %v542, align 8
  %v800 = inttoptr i64 %v799 to ptr
  %v801 = getelementptr i64, ptr %v800, i64 %v547
  store i64 0, ptr %v801, align 8
  %v548 = add i64 %v547, 1
  %v545 = add i64 %v795, %v544
  store i64 %v545, ptr %v516, align 8
  store i64 %v548, ptr %v518, align 8
  %v802 = icmp slt i64 %v545, %v515
  br i1 %v802, label %v543, label %v505
v714:
  %v803 = phi i64 [ %v555, %v711 ], [ %v716, %v714 ]
  %v804 = phi i64 [ 0, %v711 ], [ %v805, %v714 ]
  %v805 = add nuw nsw i64 %v804, 1
  %v806 = getelementptr i64, ptr %v713, i64 %v804
  %v807 = load i64, ptr %v806, align 8
  %v808 = icmp sgt i64 %v807, -4
  %v809 = lshr i64 %v807, 63
  %v810 = select i1 %v808, i64 %v809, i64 0
  %v716 = add i64 %v810, %v803
  %v811 = icmp eq i64 %v805, %v565
  br i1 %v811, label %v712, label %v714
v791:
  %v812 = phi i64 [ 0, %v786 ], [ %v813, %v791 ]
  %v813 = add nuw nsw i64 %v812, 1
  %v814 = getelementptr i64, ptr %v788, i64 %v812
  %v815 = load i64, ptr %v814, align 8
  %v816 = getelementptr i64, ptr %v790, i64 %v812
  store i64 %v815, ptr %v816, align 8
  %v817 = icmp eq i64 %v813, %v772
  br i1 %v817, label %v785, label %v791
v505:
  %v818 = phi i1 [ false, %v512 ], [ true, %v543 ], [ true, %v739 ], [ true, %v569 ], [ true, %v737 ], [ true, %v602 ], [ true, %v596 ], [ true, %v591 ], [ true, %v586 ], [ false, %v546 ]
  %v504 = phi i64 [ 0, %v512 ], [ 1, %v543 ], [ 1, %v739 ], [ 1, %v569 ], [ 1, %v737 ], [ 1, %v602 ], [ 1, %v596 ], [ 1, %v591 ], [ 1, %v586 ], [ 0, %v546 ]
  %v819 = icmp eq i64 %v6, 0
  %v820 = or i1 %v819, %v818
  br i1 %v820, label %v306, label %v821
v821:
  %v822 = getelementptr i8, ptr %v5, i64 64
  %v823 = load i64, ptr %v822, align 8
  %v824 = getelementptr i8, ptr %v5, i64 80
  %v825 = load i64, ptr %v824, align 8
  %v826 = load i64, ptr %v518, align 8
  %v827 = icmp slt i64 %v826, 1
  br i1 %v827, label %v828, label %v829
v829:
  %v830 = inttoptr i64 %v825 to ptr
  br label %v831
v828:
  %v832 = getelementptr i8, ptr %v5, i64 240
  %v833 = load i64, ptr %v832, align 8
  %v834 = icmp eq i64 %v833, 0
  br i1 %v834, label %v503, label %v835
v835:
  %v836 = load i64, ptr %v519, align 8
  %v837 = load i64, ptr %v513, align 8
  %v838 = getelementptr i8, ptr %v5, i64 24
  %v839 = load i64, ptr %v838, align 8
  %v840 = getelementptr i8, ptr %v5, i64 232
  %v841 = load i64, ptr %v840, align 8
  %v842 = icmp slt i64 %v841, 1
  br i1 %v842, label %v843, label %v844
v844:
  %v845 = getelementptr i8, ptr %v5, i64 88
  %v846 = inttoptr i64 %v825 to ptr
  br label %v847
v843:
  %v848 = load i64, ptr %v518, align 8
  %v849 = icmp slt i64 %v848, 1
  br i1 %v849, label %v503, label %v850
v850:
  %v851 = inttoptr i64 %v837 to ptr
  %v852 = inttoptr i64 %v839 to ptr
  %v853 = inttoptr i64 %v825 to ptr
  br label %v854
v855:
  %v856 = getelementptr i8, ptr %v857, i64 40
  %v858 = load i64, ptr %v856, align 8
  %v859 = icmp eq i64 %v858, 0
  br i1 %v859, label %v860, label %v861
v861:
  %v862 = getelementptr i64, ptr %v852, i64 %v863
  %v864 = load i64, ptr %v862, align 8
  %v865 = inttoptr i64 %v864 to ptr
  %v866 = getelementptr i8, ptr %v865, i64 8
  %v867 = load i64, ptr %v866, align 8
  %v868 = icmp slt i64 %v867, 1
  br i1 %v868, label %v860, label %v869
v869:
  %v870 = getelementptr i8, ptr %v871, i64 16
  %v872 = getelementptr i64, ptr %v853, i64 %v873
  br label %v874
v875:
  %v876 = shl i64 %v877, 6
  %v878 = add i64 %v876, %v836
  %v879 = inttoptr i64 %v878 to ptr
  %v880 = getelementptr i8, ptr %v879, i64 40
  %v881 = load i64, ptr %v880, align 8
  %v882 = icmp eq i64 %v881, 0
  br i1 %v882, label %v883, label %v884
v884:
  %v885 = getelementptr i8, ptr %v879, i64 32
  %v886 = load i64, ptr %v885, align 8
  %v887 = getelementptr i64, ptr %v853, i64 %v886
  %v888 = load i64, ptr %v887, align 8
  %v889 = icmp eq i64 %v888, 0
  br i1 %v889, label %v883, label %v890
v890:
  store i64 1, ptr %v872, align 8
  br label %v883
v883:
  %v891 = icmp eq i64 %v892, %v867
  br i1 %v891, label %v860, label %v874
v860:
  %v893 = icmp eq i64 %v894, %v848
  br i1 %v893, label %v503, label %v854
v831:
  %v895 = phi i64 [ 0, %v829 ], [ %v896, %v831 ]
  %v896 = add nuw nsw i64 %v895, 1
  %v897 = shl i64 %v895, 5
  %v898 = add i64 %v897, %v823
  %v899 = inttoptr i64 %v898 to ptr
  store i64 -1, ptr %v899, align 8
  %v900 = getelementptr i64, ptr %v830, i64 %v895
  store i64 0, ptr %v900, align 8
  %v901 = icmp eq i64 %v896, %v826
  br i1 %v901, label %v828, label %v831
v847:
  %v902 = phi i64 [ 0, %v844 ], [ %v903, %v847 ]
  %v903 = add nuw nsw i64 %v902, 1
  %v904 = load i64, ptr %v845, align 8
  %v905 = inttoptr i64 %v904 to ptr
  %v906 = getelementptr i64, ptr %v905, i64 %v902
  %v907 = load i64, ptr %v906, align 8
  %v908 = getelementptr i64, ptr %v846, i64 %v907
  store i64 1, ptr %v908, align 8
  %v909 = icmp eq i64 %v903, %v841
  br i1 %v909, label %v843, label %v847
v854:
  %v873 = phi i64 [ 0, %v850 ], [ %v894, %v860 ]
  %v894 = add nuw nsw i64 %v873, 1
  %v910 = shl i64 %v873, 6
  %v911 = add i64 %v910, %v836
  %v857 = inttoptr i64 %v911 to ptr
  %v912 = getelementptr i8, ptr %v857, i64 48
  %v913 = load i64, ptr %v912, align 8
  %v871 = getelementptr i64, ptr %v851, i64 %v913
  %v863 = load i64, ptr %v871, align 8
  %v914 = icmp sgt i64 %v863, -1
  br i1 %v914, label %v855, label %v860
v874:
  %v915 = phi i64 [ 0, %v869 ], [ %v892, %v883 ]
  %v892 = add nuw nsw i64 %v915, 1
  %v916 = getelementptr i64, ptr %v870, i64 %v915
  %v877 = load i64, ptr %v916, align 8
  %v917 = icmp sgt i64 %v877, -1
  br i1 %v917, label %v875, label %v883
v503:
  %v918 = icmp eq i64 %v6, 1
  br i1 %v918, label %v306, label %v919
v919:
  %v920 = load i64, ptr %v822, align 8
  %v921 = getelementptr i8, ptr %v5, i64 256
  %v922 = load i64, ptr %v921, align 8
  %v923 = shl i64 %v922, 5
  %v924 = add i64 %v923, %v920
  %v925 = getelementptr i8, ptr %v5, i64 264
  %v926 = load i64, ptr %v925, align 8
  %v927 = inttoptr i64 %v924 to ptr
  store i64 %v926, ptr %v927, align 8
  %v928 = getelementptr i8, ptr %v927, i64 8
  store i64 -1, ptr %v928, align 8
  %v929 = getelementptr i8, ptr %v927, i64 24
  store i64 0, ptr %v929, align 8
  %v930 = getelementptr i8, ptr %v5, i64 232
  store i64 0, ptr %v930, align 8
  %v931 = load i64, ptr %v518, align 8
  %v932 = add i64 %v931, -1
  %v933 = getelementptr i8, ptr %v5, i64 272
  store i64 %v932, ptr %v933, align 8
  store i64 2, ptr %v5, align 8
  br label %v511
v511:
  %v934 = getelementptr i8, ptr %v5, i64 56
  %v935 = load i64, ptr %v934, align 8
  %v936 = getelementptr i8, ptr %v5, i64 64
  %v937 = load i64, ptr %v936, align 8
  %v938 = getelementptr i8, ptr %v5, i64 8
  %v939 = getelementptr i8, ptr %v5, i64 272
  %v940 = load i64, ptr %v939, align 8
  %v941 = icmp sgt i64 %v940, -1
  br i1 %v941, label %v942, label %v507
v942:
  %v943 = load i64, ptr %v938, align 8
  %v944 = getelementptr i8, ptr %v5, i64 240
  %v945 = getelementptr i8, ptr %v5, i64 80
  %v946 = inttoptr i64 %v943 to ptr
  %v947 = getelementptr i8, ptr %v5, i64 232
  %v948 = getelementptr i8, ptr %v5, i64 88
  %v949 = getelementptr i8, ptr %v5, i64 48
  %v950 = getelementptr i8, ptr %v5, i64 24
  %v951 = getelementptr i8, ptr %v5, i64 184
  %v952 = getelementptr i8, ptr %v5, i64 128
  %v953 = getelementptr i8, ptr %v5, i64 112
  %v954 = getelementptr i8, ptr %v5, i64 32
  %v955 = getelementptr i8, ptr %v5, i64 40
  %v956 = getelementptr i8, ptr %v5, i64 280
  %v957 = getelementptr i8, ptr %v5, i64 152
  %v958 = getelementptr i8, ptr %v5, i64 168
  %v959 = getelementptr i8, ptr %v5, i64 192
  %v960 = getelementptr i8, ptr %v5, i64 248
  %v961 = getelementptr i8, ptr %v5, i64 72
  br label %v962
v962:
  %v963 = phi i64 [ %v964, %v965 ], [ %v940, %v942 ]
  %v966 = shl i64 %v963, 5
  %v967 = add i64 %v966, %v937
  %v968 = shl i64 %v963, 6
  %v969 = inttoptr i64 %v967 to ptr
  %v970 = load i64, ptr %v969, align 8
  %v971 = icmp sgt i64 %v970, -1
  br i1 %v971, label %v972, label %v965
v972:
  %v973 = add i64 %v968, %v935
  %v974 = inttoptr i64 %v973 to ptr
  %v975 = getelementptr i8, ptr %v974, i64 40
  %v976 = load i64, ptr %v975, align 8
  %v977 = icmp eq i64 %v976, 0
  br i1 %v977, label %v965, label %v978
v978:
  %v979 = load i64, ptr %v944, align 8
  %v980 = icmp eq i64 %v979, 0
  br i1 %v980, label %v981, label %v982
v982:
  %v983 = load i64, ptr %v945, align 8
  %v984 = inttoptr i64 %v983 to ptr
  %v985 = getelementptr i64, ptr %v984, i64 %v963
  %v986 = load i64, ptr %v985, align 8
  %v987 = icmp eq i64 %v986, 0
  br i1 %v987, label %v965, label %v981
v981:
  %v988 = getelementptr i8, ptr %v974, i64 48
  %v989 = load i64, ptr %v988, align 8
  %v990 = getelementptr i64, ptr %v946, i64 %v989
  %v991 = load i64, ptr %v990, align 8
  %v992 = icmp sgt i64 %v991, -1
  br i1 %v992, label %v993, label %v994
v993:
  store i64 0, ptr %v3, align 8
  %v995 = load i64, ptr %v934, align 8
  %v996 = load i64, ptr %v936, align 8
  %v997 = add i64 %v995, %v968
  %v998 = add i64 %v996, %v966
  %v999 = load i64, ptr %v938, align 8
  %v1000 = inttoptr i64 %v997 to ptr
  %v1001 = getelementptr i8, ptr %v1000, i64 48
  %v1002 = load i64, ptr %v1001, align 8
  %v1003 = load i64, ptr %v949, align 8
  %v1004 = shl i64 %v1003, 2
  %v1005 = load i64, ptr %v950, align 8
  %v1006 = inttoptr i64 %v999 to ptr
  %v1007 = getelementptr i64, ptr %v1006, i64 %v1002
  %v1008 = load i64, ptr %v1007, align 8
  %v1009 = inttoptr i64 %v1005 to ptr
  %v1010 = getelementptr i64, ptr %v1009, i64 %v1008
  %v1011 = load i64, ptr %v1010, align 8
  %v1012 = inttoptr i64 %v1011 to ptr
  %v1013 = getelementptr i8, ptr %v1012, i64 8
  %v1014 = load i64, ptr %v1013, align 8
  %v1015 = shl i64 %v1014, 1
  %v1016 = add i64 %v1015, 4
  %v1017 = getelementptr i8, ptr %v1012, i64 16
  %v1018 = load i64, ptr %v1017, align 8
  %v1019 = add i64 %v1016, %v1018
  %v1020 = load i64, ptr %v951, align 8
  %v1021 = add i64 %v1019, %v1020
  %v1022 = icmp sgt i64 %v1021, %v1004
  br i1 %v1022, label %v1023, label %v1024
v1024:
  %v1025 = load i64, ptr %v952, align 8
  %v1026 = shl i64 %v1003, 5
  %v1027 = add i64 %v1025, %v1026
  %v1028 = shl i64 %v1003, 6
  %v1029 = add i64 %v1025, %v1028
  %v1030 = icmp sgt i64 %v1014, 0
  br i1 %v1030, label %v1031, label %v1032
v1031:
  %v1033 = getelementptr i8, ptr %v1000, i64 56
  %v1034 = load i64, ptr %v1033, align 8
  %v1035 = getelementptr i8, ptr %v1007, i64 16
  %v1036 = inttoptr i64 %v1027 to ptr
  %v1037 = inttoptr i64 %v1025 to ptr
  br label %v1038
v1039:
  %v1040 = shl i64 %v1041, 6
  %v1042 = add i64 %v1040, %v995
  %v1043 = inttoptr i64 %v1042 to ptr
  %v1044 = getelementptr i8, ptr %v1043, i64 8
  %v1045 = load i64, ptr %v1044, align 8
  %v1046 = getelementptr i64, ptr %v1037, i64 %v1047
  store i64 %v1045, ptr %v1046, align 8
  %v1048 = getelementptr i8, ptr %v1043, i64 24
  %v1049 = load i64, ptr %v1048, align 8
  %v1050 = icmp slt i64 %v1049, 1
  br i1 %v1050, label %v1051, label %v1052
v1052:
  %v1053 = getelementptr i8, ptr %v1043, i64 16
  %v1054 = load i64, ptr %v1053, align 8
  %v1055 = load i64, ptr %v953, align 8
  %v1056 = inttoptr i64 %v1055 to ptr
  %v1057 = getelementptr i64, ptr %v1056, i64 %v1054
  br label %v1058
v1058:
  %v1059 = phi i64 [ %v1060, %v1052 ], [ %v1061, %v1058 ]
  %v1062 = phi i64 [ 0, %v1052 ], [ %v1063, %v1058 ]
  %v1063 = add nuw nsw i64 %v1062, 1
  %v1064 = getelementptr i64, ptr %v1057, i64 %v1062
  %v1065 = load i64, ptr %v1064, align 8
  %v1066 = getelementptr i64, ptr %v1036, i64 %v1059
  store i64 %v1065, ptr %v1066, align 8
  %v1061 = add i64 %v1059, 1
  %v1067 = icmp eq i64 %v1063, %v1049
  br i1 %v1067, label %v1051, label %v1058
v1051:
  %v1068 = phi i64 [ %v1060, %v1039 ], [ %v1061, %v1058 ]
  %v1069 = add i64 %v1047, 1
  br label %v1070
v1071:
  %v1072 = icmp sgt i64 %v1041, -4
  br i1 %v1072, label %v1073, label %v1070
v1073:
  %v1074 = getelementptr i64, ptr %v1036, i64 %v1060
  store i64 %v1075, ptr %v1074, align 8
  %v1076 = add i64 %v1060, 1
  %v1077 = add i64 %v1075, 1
  br label %v1070
v1070:
  %v1078 = phi i64 [ %v1075, %v1051 ], [ %v1077, %v1073 ], [ %v1075, %v1071 ]
  %v1079 = phi i64 [ %v1069, %v1051 ], [ %v1047, %v1073 ], [ %v1047, %v1071 ]
  %v1080 = phi i64 [ %v1068, %v1051 ], [ %v1076, %v1073 ], [ %v1060, %v1071 ]
  %v1081 = icmp eq i64 %v1082, %v1014
  br i1 %v1081, label %v1032, label %v1038
v1038:
  %v1060 = phi i64 [ 0, %v1031 ], [ %v1080, %v1070 ]
  %v1047 = phi i64 [ 0, %v1031 ], [ %v1079, %v1070 ]
  %v1075 = phi i64 [ %v1034, %v1031 ], [ %v1078, %v1070 ]
  %v1083 = phi i64 [ 0, %v1031 ], [ %v1082, %v1070 ]
  %v1082 = add nuw nsw i64 %v1083, 1
  %v1084 = getelementptr i64, ptr %v1035, i64 %v1083
  %v1041 = load i64, ptr %v1084, align 8
  %v1085 = icmp sgt i64 %v1041, -1
  br i1 %v1085, label %v1039, label %v1071
v1032:
  %v1086 = phi i64 [ 0, %v1024 ], [ %v1079, %v1070 ]
  %v1087 = phi i64 [ 0, %v1024 ], [ %v1080, %v1070 ]
  %v1088 = getelementptr i8, ptr %v1000, i64 8
  %v1089 = load i64, ptr %v1088, align 8
  %v1090 = inttoptr i64 %v1025 to ptr
  %v1091 = getelementptr i64, ptr %v1090, i64 %v1086
  store i64 %v1089, ptr %v1091, align 8
  %v1092 = inttoptr i64 %v998 to ptr
  %v1093 = getelementptr i8, ptr %v1092, i64 8
  %v1094 = load i64, ptr %v1093, align 8
  %v1095 = getelementptr i8, ptr %v1091, i64 8
  store i64 %v1094, ptr %v1095, align 8
  %v1096 = add i64 %v1086, 2
  %v1097 = getelementptr i8, ptr %v1092, i64 24
  %v1098 = load i64, ptr %v1097, align 8
  %v1099 = icmp slt i64 %v1098, 1
  br i1 %v1099, label %v1100, label %v1101
v1101:
  %v1102 = getelementptr i8, ptr %v1092, i64 16
  %v1103 = load i64, ptr %v1102, align 8
  %v1104 = load i64, ptr %v953, align 8
  %v1105 = inttoptr i64 %v1104 to ptr
  %v1106 = getelementptr i64, ptr %v1105, i64 %v1103
  %v1107 = inttoptr i64 %v1027 to ptr
  br label %v1108
v1108:
  %v1109 = phi i64 [ %v1087, %v1101 ], [ %v1110, %v1108 ]
  %v1111 = phi i64 [ 0, %v1101 ], [ %v1112, %v1108 ]
  %v1112 = add nuw nsw i64 %v1111, 1
  %v1113 = getelementptr i64, ptr %v1106, i64 %v1111
  %v1114 = load i64, ptr %v1113, align 8
  %v1115 = getelementptr i64, ptr %v1107, i64 %v1109
  store i64 %v1114, ptr %v1115, align 8
  %v1110 = add i64 %v1109, 1
  %v1116 = icmp eq i64 %v1112, %v1098
  br i1 %v1116, label %v1100, label %v1108
v1100:
  %v1117 = phi i64 [ %v1087, %v1032 ], [ %v1110, %v1108 ]
  %v1118 = load i64, ptr %v1007, align 8
  %v1119 = inttoptr i64 %v1029 to ptr
  store i64 %v1118, ptr %v1119, align 8
  %v1120 = load i64, ptr %v1092, align 8
  %v1121 = getelementptr i8, ptr %v1119, i64 8
  store i64 %v1120, ptr %v1121, align 8
  br i1 %v1030, label %v1122, label %v1123
v1122:
  %v1124 = getelementptr i8, ptr %v1007, i64 16
  %v1125 = inttoptr i64 %v1027 to ptr
  br label %v1126
v1127:
  %v1128 = shl i64 %v1129, 6
  %v1130 = add i64 %v1128, %v995
  %v1131 = inttoptr i64 %v1130 to ptr
  %v1132 = getelementptr i8, ptr %v1131, i64 40
  %v1133 = load i64, ptr %v1132, align 8
  %v1134 = icmp eq i64 %v1133, 0
  br i1 %v1134, label %v1135, label %v1136
v1136:
  %v1137 = load i64, ptr %v944, align 8
  %v1138 = icmp eq i64 %v1137, 0
  br i1 %v1138, label %v1139, label %v1140
v1140:
  %v1141 = load i64, ptr %v945, align 8
  %v1142 = getelementptr i8, ptr %v1131, i64 32
  %v1143 = load i64, ptr %v1142, align 8
  %v1144 = inttoptr i64 %v1141 to ptr
  %v1145 = getelementptr i64, ptr %v1144, i64 %v1143
  %v1146 = load i64, ptr %v1145, align 8
  %v1147 = icmp eq i64 %v1146, 0
  br i1 %v1147, label %v1135, label %v1139
v1139:
  %v1148 = getelementptr i8, ptr %v1131, i64 32
  %v1149 = load i64, ptr %v1148, align 8
  %v1150 = shl i64 %v1149, 5
  %v1151 = add i64 %v1150, %v996
  %v1152 = getelementptr i64, ptr %v1119, i64 %v1153
  store i64 %v1154, ptr %v1152, align 8
  %v1155 = inttoptr i64 %v1151 to ptr
  %v1156 = load i64, ptr %v1155, align 8
  %v1157 = getelementptr i8, ptr %v1152, i64 8
  store i64 %v1156, ptr %v1157, align 8
  %v1158 = add i64 %v1153, 2
  %v1159 = load i64, ptr %v1155, align 8
  %v1160 = icmp sgt i64 %v1159, -1
  br i1 %v1160, label %v1161, label %v1162
v1161:
  %v1163 = getelementptr i8, ptr %v1155, i64 8
  %v1164 = load i64, ptr %v1163, align 8
  %v1165 = getelementptr i64, ptr %v1090, i64 %v1166
  store i64 %v1164, ptr %v1165, align 8
  %v1167 = getelementptr i8, ptr %v1155, i64 24
  %v1168 = load i64, ptr %v1167, align 8
  %v1169 = icmp slt i64 %v1168, 1
  br i1 %v1169, label %v1170, label %v1171
v1171:
  %v1172 = getelementptr i8, ptr %v1155, i64 16
  %v1173 = load i64, ptr %v1172, align 8
  %v1174 = load i64, ptr %v953, align 8
  %v1175 = inttoptr i64 %v1174 to ptr
  %v1176 = getelementptr i64, ptr %v1175, i64 %v1173
  br label %v1177
v1177:
  %v1178 = phi i64 [ %v1179, %v1171 ], [ %v1180, %v1177 ]
  %v1181 = phi i64 [ 0, %v1171 ], [ %v1182, %v1177 ]
  %v1182 = add nuw nsw i64 %v1181, 1
  %v1183 = getelementptr i64, ptr %v1176, i64 %v1181
  %v1184 = load i64, ptr %v1183, align 8
  %v1185 = getelementptr i64, ptr %v1125, i64 %v1178
  store i64 %v1184, ptr %v1185, align 8
  %v1180 = add i64 %v1178, 1
  %v1186 = icmp eq i64 %v1182, %v1168
  br i1 %v1186, label %v1170, label %v1177
v1162:
  %v1187 = getelementptr i64, ptr %v1090, i64 %v1166
  store i64 -1, ptr %v1187, align 8
  br label %v1170
v1170:
  %v1188 = phi i64 [ %v1179, %v1162 ], [ %v1179, %v1161 ], [ %v1180, %v1177 ]
  %v1189 = add i64 %v1166, 1
  br label %v1135
v1135:
  %v1190 = phi i64 [ %v1189, %v1170 ], [ %v1166, %v1140 ], [ %v1166, %v1126 ], [ %v1166, %v1127 ]
  %v1191 = phi i64 [ %v1188, %v1170 ], [ %v1179, %v1140 ], [ %v1179, %v1126 ], [ %v1179, %v1127 ]
  %v1192 = phi i64 [ %v1158, %v1170 ], [ %v1153, %v1140 ], [ %v1153, %v1126 ], [ %v1153, %v1127 ]
  %v1193 = icmp eq i64 %v1194, %v1014
  br i1 %v1193, label %v1123, label %v1126
v1123:
  %v1195 = phi i64 [ 2, %v1100 ], [ %v1192, %v1135 ]
  %v1196 = icmp slt i64 %v1195, 1
  br i1 %v1196, label %v1197, label %v1198
v1197:
  %v1199 = phi i64 [ 0, %v1123 ], [ %v1200, %v1198 ]
  %v1201 = load i64, ptr %v954, align 8
  %v1202 = load i64, ptr %v955, align 8
  %v1203 = inttoptr i64 %v1201 to ptr
  %v1204 = and i64 %v1202, %v1199
  %v1205 = getelementptr i64, ptr %v1203, i64 %v1204
  %v1206 = load i64, ptr %v1205, align 8
  %v1207 = icmp eq i64 %v1206, 0
  br i1 %v1207, label %v1208, label %v1209
v1209:
  %v1210 = icmp sgt i64 %v1195, 0
  %v1211 = add i64 %v1195, -1
  br label %v1212
v1208:
  %v1213 = phi i64 [ %v1204, %v1197 ], [ %v1214, %v1215 ]
  store i64 %v1213, ptr %v956, align 8
  br label %v1216
v1212:
  %v1217 = phi i64 [ %v1206, %v1209 ], [ %v1218, %v1215 ]
  %v1219 = phi i64 [ %v1204, %v1209 ], [ %v1214, %v1215 ]
  %v1220 = inttoptr i64 %v1217 to ptr
  %v1221 = load i64, ptr %v1220, align 8
  %v1222 = icmp eq i64 %v1221, %v1195
  br i1 %v1222, label %v1223, label %v1215
v1223:
  %v1224 = getelementptr i8, ptr %v1220, i64 8
  br i1 %v1210, label %v1225, label %v1226
v1225:
  %v1227 = load i64, ptr %v1224, align 8
  %v1228 = load i64, ptr %v1119, align 8
  %v1229 = icmp eq i64 %v1227, %v1228
  br i1 %v1229, label %v1230, label %v1226
v1230:
  %v1231 = phi i64 [ %v1232, %v1233 ], [ 0, %v1225 ]
  %v1234 = icmp eq i64 %v1231, %v1211
  br i1 %v1234, label %v1226, label %v1233
v1233:
  %v1232 = add nuw nsw i64 %v1231, 1
  %v1235 = getelementptr i64, ptr %v1224, i64 %v1232
  %v1236 = load i64, ptr %v1235, align 8
  %v1237 = getelementptr i64, ptr %v1119, i64 %v1232
  %v1238 = load i64, ptr %v1237, align 8
  %v1239 = icmp eq i64 %v1236, %v1238
  br i1 %v1239, label %v1230, label %v1226
v1226:
  %v1240 = phi i64 [ 0, %v1225 ], [ 0, %v1223 ], [ %v1195, %v1230 ], [ %v1232, %v1233 ]
  %v1241 = icmp eq i64 %v1240, %v1195
  br i1 %v1241, label %v1242, label %v1215
v1242:
  %v1243 = ptrtoint ptr %v1224 to i64
  %v1244 = shl i64 %v1195, 3
  %v1245 = add i64 %v1244, %v1243
  br label %v1216
v1215:
  %v1246 = add i64 %v1219, 1
  %v1214 = and i64 %v1246, %v1202
  %v1247 = getelementptr i64, ptr %v1203, i64 %v1214
  %v1218 = load i64, ptr %v1247, align 8
  %v1248 = icmp eq i64 %v1218, 0
  br i1 %v1248, label %v1208, label %v1212
v1198:
  %v1249 = phi i64 [ %v1200, %v1198 ], [ 0, %v1123 ]
  %v1250 = phi i64 [ %v1251, %v1198 ], [ 0, %v1123 ]
  %v1251 = add nuw nsw i64 %v1250, 1
  %v1252 = getelementptr i64, ptr %v1119, i64 %v1250
  %v1253 = load i64, ptr %v1252, align 8
  %v1254 = xor i64 %v1253, %v1249
  %v1255 = mul i64 %v1254, -7046029254386353131
  %v1256 = ashr i64 %v1255, 29
  %v1200 = xor i64 %v1256, %v1255
  %v1257 = icmp eq i64 %v1251, %v1195
  br i1 %v1257, label %v1197, label %v1198
v1216:
  %v1258 = phi i64 [ %v1245, %v1242 ], [ 0, %v1208 ]
  %v1259 = icmp eq i64 %v1258, 0
  br i1 %v1259, label %v1260, label %v1261
v1260:
  %v1262 = getelementptr i8, ptr %v5, i64 288
  store i64 %v1195, ptr %v1262, align 8
  br label %v1023
v1261:
  %v1263 = load i64, ptr %v949, align 8
  %v1264 = inttoptr i64 %v1258 to ptr
  %v1265 = load i64, ptr %v1264, align 8
  %v1266 = icmp eq i64 %v1265, 0
  br i1 %v1266, label %v1267, label %v1268
v1268:
  %v1269 = inttoptr i64 %v1265 to ptr
  %v1270 = getelementptr i8, ptr %v1269, i64 96
  %v1271 = load i64, ptr %v1270, align 8
  %v1272 = getelementptr i8, ptr %v1269, i64 88
  %v1273 = load i64, ptr %v1272, align 8
  %v1274 = getelementptr i8, ptr %v1269, i64 72
  %v1275 = load i64, ptr %v1274, align 8
  %v1276 = add i64 %v1273, 2
  br label %v1267
v1267:
  %v1277 = phi i64 [ %v1271, %v1268 ], [ 0, %v1261 ]
  %v1278 = phi i64 [ %v1276, %v1268 ], [ 2, %v1261 ]
  %v1279 = phi i64 [ %v1275, %v1268 ], [ 0, %v1261 ]
  %v1280 = load i64, ptr %v957, align 8
  %v1281 = add i64 %v1280, %v1277
  %v1282 = shl i64 %v1263, 2
  %v1283 = icmp slt i64 %v1281, %v1282
  br i1 %v1283, label %v1284, label %v1023
v1284:
  %v1285 = load i64, ptr %v958, align 8
  %v1286 = add i64 %v1285, %v1278
  %v1287 = shl i64 %v1263, 4
  %v1288 = icmp slt i64 %v1286, %v1287
  br i1 %v1288, label %v1289, label %v1023
v1289:
  %v1290 = load i64, ptr %v959, align 8
  %v1291 = add i64 %v1290, %v1279
  %v1292 = shl i64 %v1263, 1
  %v1293 = icmp slt i64 %v1291, %v1292
  br i1 %v1293, label %v1294, label %v1023
v1294:
  %v1295 = load i64, ptr %v951, align 8
  %v1296 = getelementptr i8, ptr %v1264, i64 24
  %v1297 = load i64, ptr %v1296, align 8
  %v1298 = add i64 %v1297, %v1295
  %v1299 = icmp slt i64 %v1298, %v1292
  br i1 %v1299, label %v1300, label %v1023
v1300:
  store i64 0, ptr %v3, align 8
  call fastcc void @paste(ptr %v3, i64 %v1, i64 %v1265, i64 %v1025, i64 %v1027)
  %v1301 = load i64, ptr %v3, align 8
  %v1302 = add i64 %v1195, -2
  %v1303 = and i64 %v1195, 1
  %v1304 = lshr i64 %v1302, 1
  %v1305 = add nuw nsw i64 %v1304, %v1303
  %v1306 = icmp slt i64 %v1302, 1
  %v1307 = icmp eq i64 %v1305, 0
  %v1308 = select i1 %v1306, i1 true, i1 %v1307
  br i1 %v1308, label %v1309, label %v1310
v1310:
  %v1311 = getelementptr i8, ptr %v1264, i64 40
  %v1312 = ptrtoint ptr %v1311 to i64
  %v1313 = getelementptr i8, ptr %v1007, i64 16
  %v1314 = inttoptr i64 %v1027 to ptr
  br label %v1315
v1316:
  %v1317 = getelementptr i64, ptr %v1119, i64 %v1318
  %v1319 = load i64, ptr %v1317, align 8
  %v1320 = getelementptr i64, ptr %v1313, i64 %v1319
  %v1321 = load i64, ptr %v1320, align 8
  %v1322 = shl i64 %v1321, 6
  %v1323 = add i64 %v1322, %v995
  %v1324 = inttoptr i64 %v1323 to ptr
  %v1325 = getelementptr i8, ptr %v1324, i64 32
  %v1326 = load i64, ptr %v1325, align 8
  %v1327 = shl i64 %v1326, 5
  %v1328 = add i64 %v1327, %v996
  %v1329 = getelementptr i8, ptr %v1330, i64 8
  %v1331 = load i64, ptr %v1329, align 8
  %v1332 = icmp sgt i64 %v1331, -1
  br i1 %v1332, label %v1333, label %v1334
v1333:
  %v1335 = add i64 %v1331, %v1301
  br label %v1336
v1334:
  %v1337 = getelementptr i8, ptr %v1330, i64 16
  %v1338 = load i64, ptr %v1337, align 8
  %v1339 = icmp sgt i64 %v1338, -1
  br i1 %v1339, label %v1340, label %v1336
v1340:
  %v1341 = getelementptr i64, ptr %v1090, i64 %v1338
  %v1342 = load i64, ptr %v1341, align 8
  br label %v1336
v1336:
  %v1343 = phi i64 [ %v1335, %v1333 ], [ %v1342, %v1340 ], [ -1, %v1334 ]
  %v1344 = getelementptr i8, ptr %v1330, i64 24
  %v1345 = load i64, ptr %v1344, align 8
  %v1346 = load i64, ptr %v951, align 8
  %v1347 = icmp slt i64 %v1345, 1
  br i1 %v1347, label %v1348, label %v1349
v1349:
  %v1350 = load i64, ptr %v953, align 8
  %v1351 = getelementptr i8, ptr %v1330, i64 32
  %v1352 = inttoptr i64 %v1350 to ptr
  %v1353 = getelementptr i64, ptr %v1352, i64 %v1346
  br label %v1354
v1354:
  %v1355 = phi i64 [ 0, %v1349 ], [ %v1356, %v1354 ]
  %v1356 = add nuw nsw i64 %v1355, 1
  %v1357 = getelementptr i64, ptr %v1351, i64 %v1355
  %v1358 = load i64, ptr %v1357, align 8
  %v1359 = getelementptr i64, ptr %v1314, i64 %v1358
  %v1360 = load i64, ptr %v1359, align 8
  %v1361 = getelementptr i64, ptr %v1353, i64 %v1355
  store i64 %v1360, ptr %v1361, align 8
  %v1362 = icmp eq i64 %v1356, %v1345
  br i1 %v1362, label %v1348, label %v1354
v1348:
  %v1363 = add i64 %v1346, %v1345
  store i64 %v1363, ptr %v951, align 8
  %v1364 = load i64, ptr %v1330, align 8
  %v1365 = inttoptr i64 %v1328 to ptr
  store i64 %v1364, ptr %v1365, align 8
  %v1366 = getelementptr i8, ptr %v1365, i64 8
  store i64 %v1343, ptr %v1366, align 8
  %v1367 = getelementptr i8, ptr %v1365, i64 16
  store i64 %v1346, ptr %v1367, align 8
  %v1368 = getelementptr i8, ptr %v1365, i64 24
  store i64 %v1345, ptr %v1368, align 8
  br label %v1369
v1369:
  %v1370 = getelementptr i8, ptr %v1330, i64 32
  %v1371 = ptrtoint ptr %v1370 to i64
  %v1372 = getelementptr i8, ptr %v1330, i64 24
  %v1373 = load i64, ptr %v1372, align 8
  %v1374 = shl i64 %v1373, 3
  %v1375 = add i64 %v1374, %v1371
  %v1376 = icmp sgt i64 %v1377, 1
  br i1 %v1376, label %v1315, label %v1309
v1126:
  %v1153 = phi i64 [ 2, %v1122 ], [ %v1192, %v1135 ]
  %v1179 = phi i64 [ %v1117, %v1122 ], [ %v1191, %v1135 ]
  %v1166 = phi i64 [ %v1096, %v1122 ], [ %v1190, %v1135 ]
  %v1154 = phi i64 [ 0, %v1122 ], [ %v1194, %v1135 ]
  %v1194 = add nuw nsw i64 %v1154, 1
  %v1378 = getelementptr i64, ptr %v1124, i64 %v1154
  %v1129 = load i64, ptr %v1378, align 8
  %v1379 = icmp sgt i64 %v1129, -1
  br i1 %v1379, label %v1127, label %v1135
v1315:
  %v1380 = phi i64 [ %v1312, %v1310 ], [ %v1375, %v1369 ]
  %v1377 = phi i64 [ %v1305, %v1310 ], [ %v1381, %v1369 ]
  %v1318 = phi i64 [ 2, %v1310 ], [ %v1382, %v1369 ]
  %v1381 = add nsw i64 %v1377, -1
  %v1382 = add i64 %v1318, 2
  %v1330 = inttoptr i64 %v1380 to ptr
  %v1383 = load i64, ptr %v1330, align 8
  %v1384 = icmp sgt i64 %v1383, -1
  br i1 %v1384, label %v1316, label %v1369
v1023:
  %v1385 = phi i64 [ 2, %v1260 ], [ 1, %v993 ], [ 1, %v1267 ], [ 1, %v1284 ], [ 1, %v1289 ], [ 1, %v1294 ]
  store i64 %v963, ptr %v939, align 8
  br label %v507
v994:
  switch i64 %v991, label %v507 [
    i64 -1, label %v1386
    i64 -3, label %v1387
  ]
v1386:
  %v1388 = load i64, ptr %v947, align 8
  %v1389 = load i64, ptr %v948, align 8
  %v1390 = inttoptr i64 %v1389 to ptr
  %v1391 = getelementptr i64, ptr %v1390, i64 %v1388
  store i64 %v963, ptr %v1391, align 8
  %v1392 = add i64 %v1388, 1
  store i64 %v1392, ptr %v947, align 8
  br label %v1393
v1387:
  %v1394 = getelementptr i8, ptr %v990, i64 24
  %v1395 = load i64, ptr %v1394, align 8
  %v1396 = icmp sgt i64 %v1395, -1
  br i1 %v1396, label %v1397, label %v507
v1397:
  %v1398 = shl i64 %v1395, 6
  %v1399 = add i64 %v1398, %v935
  %v1400 = inttoptr i64 %v1399 to ptr
  %v1401 = getelementptr i8, ptr %v1400, i64 32
  %v1402 = load i64, ptr %v1401, align 8
  %v1403 = shl i64 %v1402, 5
  %v1404 = add i64 %v1403, %v937
  %v1405 = inttoptr i64 %v1404 to ptr
  %v1406 = load i64, ptr %v1405, align 8
  %v1407 = icmp sgt i64 %v1406, -1
  br i1 %v1407, label %v507, label %v1408
v1408:
  store i64 %v970, ptr %v1405, align 8
  %v1409 = getelementptr i8, ptr %v969, i64 8
  %v1410 = load i64, ptr %v1409, align 8
  %v1411 = getelementptr i8, ptr %v1405, i64 8
  store i64 %v1410, ptr %v1411, align 8
  %v1412 = getelementptr i8, ptr %v969, i64 16
  %v1413 = load i64, ptr %v1412, align 8
  %v1414 = getelementptr i8, ptr %v1405, i64 16
  store i64 %v1413, ptr %v1414, align 8
  %v1415 = getelementptr i8, ptr %v969, i64 24
  %v1416 = load i64, ptr %v1415, align 8
  %v1417 = getelementptr i8, ptr %v1405, i64 24
  store i64 %v1416, ptr %v1417, align 8
  br label %v1393
v1309:
  br label %v1393
v1393:
  %v1418 = load i64, ptr %v960, align 8
  %v1419 = icmp eq i64 %v1418, 0
  br i1 %v1419, label %v1420, label %v965
v1420:
  %v1421 = load i64, ptr %v961, align 8
  %v1422 = inttoptr i64 %v1421 to ptr
  %v1423 = getelementptr i64, ptr %v1422, i64 %v963
  store i64 1, ptr %v1423, align 8
  br label %v965
v965:
  %v964 = add nsw i64 %v963, -1
  %v1424 = icmp sgt i64 %v963, 0
  br i1 %v1424, label %v962, label %v507
v507:
  %v506 = phi i64 [ 0, %v511 ], [ %v1385, %v1023 ], [ 3, %v994 ], [ 3, %v1397 ], [ 3, %v1387 ], [ 0, %v965 ]
  %v1425 = icmp eq i64 %v506, 0
  br i1 %v1425, label %v508, label %v306
v508:
  %v1426 = getelementptr i8, ptr %v5, i64 232
  %v1427 = load i64, ptr %v1426, align 8
  %v1428 = icmp slt i64 %v1427, 1
  br i1 %v1428, label %v306, label %v1429
v1429:
  %v1430 = getelementptr i8, ptr %v5, i64 128
  %v1431 = getelementptr i8, ptr %v5, i64 88
  br label %v509
v509:
  %v1432 = phi i64 [ 0, %v1429 ], [ %v1433, %v509 ]
  %v1433 = add nuw nsw i64 %v1432, 1
  %v1434 = load i64, ptr %v1430, align 8
  %v1435 = mul i64 %v1432, 40
  %v1436 = add i64 %v1434, %v1435
  %v1437 = load i64, ptr %v1431, align 8
  %v1438 = inttoptr i64 %v1437 to ptr
  %v1439 = getelementptr i64, ptr %v1438, i64 %v1432
  %v1440 = load i64, ptr %v1439, align 8
  %v1441 = inttoptr i64 %v1436 to ptr
  store i64 %v1440, ptr %v1441, align 8
  %v1442 = load i64, ptr %v936, align 8
  %v1443 = shl i64 %v1440, 5
  %v1444 = add i64 %v1442, %v1443
  %v1445 = inttoptr i64 %v1444 to ptr
  %v1446 = load i64, ptr %v1445, align 8
  %v1447 = getelementptr i8, ptr %v1441, i64 8
  store i64 %v1446, ptr %v1447, align 8
  %v1448 = getelementptr i8, ptr %v1445, i64 8
  %v1449 = load i64, ptr %v1448, align 8
  %v1450 = getelementptr i8, ptr %v1441, i64 16
  store i64 %v1449, ptr %v1450, align 8
  %v1451 = getelementptr i8, ptr %v1445, i64 16
  %v1452 = load i64, ptr %v1451, align 8
  %v1453 = getelementptr i8, ptr %v1441, i64 24
  store i64 %v1452, ptr %v1453, align 8
  %v1454 = getelementptr i8, ptr %v1445, i64 24
  %v1455 = load i64, ptr %v1454, align 8
  %v1456 = getelementptr i8, ptr %v1441, i64 32
  store i64 %v1455, ptr %v1456, align 8
  %v1457 = icmp eq i64 %v1433, %v1427
  br i1 %v1457, label %v306, label %v509
}
define internal fastcc void @paste(ptr %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4) nounwind "no-jump-tables"="true" "no-builtins" {
v5:
  %v6 = inttoptr i64 %v1 to ptr
  %v7 = getelementptr i8, ptr %v6, i64 152
  %v8 = load i64, ptr %v7, align 8
  %v9 = icmp eq i64 %v2, 0
  br i1 %v9, label %v10, label %v11
v10:
  store i64 %v8, ptr %v0, align 8
  ret void
v11:
  %v12 = inttoptr i64 %v2 to ptr
  %v13 = getelementptr i8, ptr %v12, i64 96
  %v14 = load i64, ptr %v13, align 8
  %v15 = icmp slt i64 %v14, 1
  br i1 %v15, label %v16, label %v17
v17:
  %v18 = getelementptr i8, ptr %v6, i64 96
  %v19 = load i64, ptr %v18, align 8
  %v20 = getelementptr i8, ptr %v12, i64 104
  %v21 = inttoptr i64 %v19 to ptr
  %v22 = getelementptr i64, ptr %v21, i64 %v8
  %v23 = getelementptr i8, ptr %v6, i64 160
  br label %v24
v16:
  %v25 = add i64 %v14, %v8
  store i64 %v25, ptr %v7, align 8
  %v26 = getelementptr i8, ptr %v6, i64 104
  %v27 = load i64, ptr %v26, align 8
  %v28 = getelementptr i8, ptr %v6, i64 168
  %v29 = load i64, ptr %v28, align 8
  %v30 = shl i64 %v29, 3
  %v31 = add i64 %v30, %v27
  %v32 = getelementptr i8, ptr %v12, i64 88
  %v33 = load i64, ptr %v32, align 8
  %v34 = inttoptr i64 %v31 to ptr
  store i64 %v2, ptr %v34, align 8
  %v35 = getelementptr i8, ptr %v34, i64 8
  store i64 %v8, ptr %v35, align 8
  %v36 = icmp slt i64 %v33, 1
  br i1 %v36, label %v37, label %v38
v38:
  %v39 = inttoptr i64 %v3 to ptr
  %v40 = getelementptr i8, ptr %v34, i64 16
  br label %v41
v37:
  %v42 = load i64, ptr %v28, align 8
  %v43 = add i64 %v33, 2
  %v44 = add i64 %v43, %v42
  store i64 %v44, ptr %v28, align 8
  %v45 = getelementptr i8, ptr %v6, i64 176
  %v46 = load i64, ptr %v45, align 8
  %v47 = add i64 %v46, 1
  store i64 %v47, ptr %v45, align 8
  %v48 = getelementptr i8, ptr %v6, i64 192
  %v49 = load i64, ptr %v48, align 8
  %v50 = getelementptr i8, ptr %v12, i64 72
  %v51 = load i64, ptr %v50, align 8
  %v52 = icmp slt i64 %v51, 1
  br i1 %v52, label %v53, label %v54
v54:
  %v55 = getelementptr i8, ptr %v12, i64 64
  %v56 = getelementptr i8, ptr %v6, i64 120
  %v57 = inttoptr i64 %v4 to ptr
  br label %v58
v53:
  %v59 = add i64 %v51, %v49
  store i64 %v59, ptr %v48, align 8
  %v60 = getelementptr i8, ptr %v6, i64 208
  %v61 = load i64, ptr %v60, align 8
  %v62 = getelementptr i8, ptr %v12, i64 8
  %v63 = load i64, ptr %v62, align 8
  %v64 = add i64 %v63, %v61
  store i64 %v64, ptr %v60, align 8
  %v65 = getelementptr i8, ptr %v6, i64 216
  %v66 = load i64, ptr %v65, align 8
  %v67 = getelementptr i8, ptr %v12, i64 24
  %v68 = load i64, ptr %v67, align 8
  %v69 = add i64 %v68, %v66
  store i64 %v69, ptr %v65, align 8
  %v70 = getelementptr i8, ptr %v6, i64 224
  %v71 = load i64, ptr %v70, align 8
  %v72 = getelementptr i8, ptr %v12, i64 80
  %v73 = load i64, ptr %v72, align 8
  %v74 = call i64 @llvm.smax.i64(i64 %v73, i64 %v71)
  store i64 %v74, ptr %v70, align 8
  br label %v10
v24:
  %v75 = phi i64 [ 0, %v17 ], [ %v76, %v24 ]
  %v76 = add nuw nsw i64 %v75, 1
  %v77 = getelementptr i64, ptr %v20, i64 %v75
  %v78 = load i64, ptr %v77, align 8
  %v79 = getelementptr i64, ptr %v22, i64 %v75
  store i64 %v78, ptr %v79, align 8
  %v80 = load i64, ptr %v23, align 8
  %v81 = add i64 %v80, %v78
  store i64 %v81, ptr %v23, align 8
  %v82 = icmp eq i64 %v76, %v14
  br i1 %v82, label %v16, label %v24
v41:
  %v83 = phi i64 [ 0, %v38 ], [ %v84, %v41 ]
  %v84 = add nuw nsw i64 %v83, 1
  %v85 = getelementptr i64, ptr %v39, i64 %v83
  %v86 = load i64, ptr %v85, align 8
  %v87 = getelementptr i64, ptr %v40, i64 %v83
  store i64 %v86, ptr %v87, align 8
  %v88 = icmp eq i64 %v84, %v33
  br i1 %v88, label %v37, label %v41
v58:
  %v89 = phi i64 [ 0, %v54 ], [ %v90, %v58 ]
  %v90 = add nuw nsw i64 %v89, 1
  %v91 = load i64, ptr %v55, align 8
  %v92 = shl i64 %v89, 4
  %v93 = add i64 %v91, %v92
  %v94 = load i64, ptr %v56, align 8
  %v95 = add i64 %v89, %v49
  %v96 = shl i64 %v95, 4
  %v97 = add i64 %v94, %v96
  %v98 = inttoptr i64 %v93 to ptr
  %v99 = load i64, ptr %v98, align 8
  %v100 = getelementptr i64, ptr %v57, i64 %v99
  %v101 = load i64, ptr %v100, align 8
  %v102 = inttoptr i64 %v97 to ptr
  store i64 %v101, ptr %v102, align 8
  %v103 = getelementptr i8, ptr %v98, i64 8
  %v104 = load i64, ptr %v103, align 8
  %v105 = getelementptr i8, ptr %v102, i64 8
  store i64 %v104, ptr %v105, align 8
  %v106 = icmp eq i64 %v90, %v51
  br i1 %v106, label %v53, label %v58
}
define i64 @nbgrad_advance(i64 %v0) nounwind "no-jump-tables"="true" "no-builtins" {
v1:
  %v2 = alloca i64, align 8
  store i64 0, ptr %v2, align 8
  call fastcc void @advance(ptr %v2, i64 %v0)
  %v3 = load i64, ptr %v2, align 8
  ret i64 %v3
}
declare i64 @llvm.smax.i64(i64, i64)
