define i64 @nbgrad_advance(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v11 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 0
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v8 = icmp eq i64 %v3, 0
  br i1 %v8, label %then5, label %else6
then5:
  %v9 = load i64, ptr %v0
  %v10 = call i64 @nbgrad.runtime.sheet_kernels.lay_out(i64 %v9)
  store i64 %v10, ptr %v11
  br label %done7
else6:
  %v15 = load i64, ptr %v4
  %v16 = icmp eq i64 %v15, 1
  br i1 %v16, label %then12, label %else13
then12:
  %v17 = load i64, ptr %v0
  %v18 = call i64 @nbgrad.runtime.sheet_kernels.lay_out(i64 %v17)
  store i64 %v18, ptr %v11
  %v22 = icmp eq i64 %v18, 0
  br i1 %v22, label %then19, label %else20
then19:
  %v23 = load i64, ptr %v0
  %v24 = call i64 @nbgrad.runtime.sheet_derive.prepare(i64 %v23)
  store i64 %v24, ptr %v11
  br label %done21
else20:
  br label %done21
done21:
  br label %done14
else13:
  %v28 = load i64, ptr %v4
  %v29 = icmp sge i64 3, %v28
  %v30 = icmp sge i64 %v28, 2
  %v31 = and i1 %v29, %v30
  br i1 %v31, label %then25, label %else26
then25:
  store i64 0, ptr %v11
  %v35 = load i64, ptr %v4
  %v36 = icmp eq i64 %v35, 3
  br i1 %v36, label %then32, label %else33
then32:
  %v37 = load i64, ptr %v0
  %v38 = call i64 @nbgrad.runtime.sheet_kernels.lay_out(i64 %v37)
  store i64 %v38, ptr %v11
  %v42 = icmp eq i64 %v38, 0
  br i1 %v42, label %then39, label %else40
then39:
  %v43 = load i64, ptr %v0
  %v44 = call i64 @nbgrad.runtime.sheet_derive.prepare(i64 %v43)
  store i64 %v44, ptr %v11
  %v45 = call i64 @nbgrad.runtime.sheet_derive.sow(i64 %v43)
  %v46 = inttoptr i64 %v43 to ptr
  %v47 = getelementptr i64, ptr %v46, i64 0
  store i64 2, ptr %v47
  br label %done41
else40:
  br label %done41
done41:
  br label %done34
else33:
  br label %done34
done34:
  %v51 = load i64, ptr %v11
  %v52 = icmp eq i64 %v51, 0
  br i1 %v52, label %then48, label %else49
then48:
  %v53 = load i64, ptr %v0
  %v54 = call i64 @nbgrad.runtime.sheet_derive.pull_back(i64 %v53)
  store i64 %v54, ptr %v11
  br label %done50
else49:
  br label %done50
done50:
  %v58 = load i64, ptr %v11
  %v59 = icmp eq i64 %v58, 0
  br i1 %v59, label %then55, label %else56
then55:
  %v60 = load i64, ptr %v0
  %v61 = call i64 @nbgrad.runtime.sheet_derive.list_leaves(i64 %v60)
  br label %done57
else56:
  br label %done57
done57:
  br label %done27
else26:
  %v65 = load i64, ptr %v4
  %v66 = icmp eq i64 %v65, 4
  br i1 %v66, label %then62, label %else63
then62:
  %v67 = load i64, ptr %v0
  %v68 = call i64 @nbgrad.runtime.sheet_place.place(i64 %v67)
  %v69 = inttoptr i64 %v67 to ptr
  %v70 = getelementptr i64, ptr %v69, i64 40
  store i64 %v68, ptr %v70
  br label %done64
else63:
  br label %done64
done64:
  %v71 = load i64, ptr %v0
  %v72 = call i64 @nbgrad.runtime.sheet_link.fit(i64 %v71)
  store i64 %v72, ptr %v11
  %v76 = icmp eq i64 %v72, 0
  br i1 %v76, label %then73, label %else74
then73:
  %v77 = load i64, ptr %v0
  %v78 = call i64 @nbgrad.runtime.sheet_link.link(i64 %v77)
  store i64 %v78, ptr %v11
  br label %done75
else74:
  br label %done75
done75:
  br label %done27
done27:
  br label %done14
done14:
  br label %done7
done7:
  %v79 = load i64, ptr %v11
  ret i64 %v79
}
define internal i64 @nbgrad.runtime.sheet_kernels.lay_out(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v10 = alloca i64
  %v13 = alloca i64
  %v16 = alloca i64
  %v19 = alloca i64
  %v36 = alloca i64
  %v42 = alloca i64
  %v46 = alloca i64
  %v47 = alloca i64
  %v48 = alloca i64
  %v49 = alloca i64
  %v54 = alloca i64
  %v69 = alloca i64
  %v73 = alloca i64
  %v76 = alloca i64
  %v100 = alloca i64
  %v111 = alloca i64
  %v120 = alloca i64
  %v123 = alloca i64
  %v129 = alloca i64
  %v163 = alloca i64
  %v187 = alloca i64
  %v232 = alloca i64
  %v235 = alloca i64
  %v257 = alloca i64
  %v262 = alloca i64
  %v288 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 1
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 2
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 17
  %v9 = load i64, ptr %v8
  store i64 %v9, ptr %v10
  %v11 = getelementptr i64, ptr %v1, i64 18
  %v12 = load i64, ptr %v11
  store i64 %v12, ptr %v13
  %v14 = getelementptr i64, ptr %v1, i64 7
  %v15 = load i64, ptr %v14
  store i64 %v15, ptr %v16
  %v17 = getelementptr i64, ptr %v1, i64 6
  %v18 = load i64, ptr %v17
  store i64 %v18, ptr %v19
  br label %head20
head20:
  %v23 = load i64, ptr %v10
  %v24 = load i64, ptr %v7
  %v25 = icmp slt i64 %v23, %v24
  br i1 %v25, label %body21, label %done22
body21:
  %v29 = load i64, ptr %v13
  %v30 = load i64, ptr %v19
  %v31 = icmp sge i64 %v29, %v30
  br i1 %v31, label %then26, label %else27
then26:
  ret i64 1
else27:
  br label %done28
done28:
  %v32 = load i64, ptr %v4
  %v33 = load i64, ptr %v10
  %v34 = mul i64 %v33, 8
  %v35 = add i64 %v32, %v34
  store i64 %v35, ptr %v36
  %v37 = load i64, ptr %v16
  %v38 = load i64, ptr %v13
  %v39 = mul i64 %v38, 8
  %v40 = mul i64 %v39, 8
  %v41 = add i64 %v37, %v40
  store i64 %v41, ptr %v42
  %v43 = inttoptr i64 %v35 to ptr
  %v44 = getelementptr i64, ptr %v43, i64 0
  %v45 = load i64, ptr %v44
  store i64 %v45, ptr %v46
  store i64 %v38, ptr %v47
  store i64 0, ptr %v48
  store i64 1, ptr %v49
  %v50 = load i64, ptr %v0
  %v51 = inttoptr i64 %v50 to ptr
  %v52 = getelementptr i64, ptr %v51, i64 25
  %v53 = load i64, ptr %v52
  store i64 %v53, ptr %v54
  %v55 = inttoptr i64 %v41 to ptr
  %v56 = getelementptr i64, ptr %v55, i64 7
  store i64 %v53, ptr %v56
  %v60 = icmp sge i64 %v45, 0
  br i1 %v60, label %then57, label %else58
then57:
  %v61 = load i64, ptr %v0
  %v62 = inttoptr i64 %v61 to ptr
  %v63 = getelementptr i64, ptr %v62, i64 3
  %v64 = load i64, ptr %v63
  %v65 = load i64, ptr %v46
  %v66 = inttoptr i64 %v64 to ptr
  %v67 = getelementptr i64, ptr %v66, i64 %v65
  %v68 = load i64, ptr %v67
  store i64 %v68, ptr %v69
  %v70 = inttoptr i64 %v68 to ptr
  %v71 = getelementptr i64, ptr %v70, i64 1
  %v72 = load i64, ptr %v71
  store i64 %v72, ptr %v73
  %v74 = getelementptr i64, ptr %v62, i64 16
  %v75 = load i64, ptr %v74
  store i64 %v75, ptr %v76
  %v81 = call i64 @nbgrad.runtime.sheet_paste.has_room(i64 %v61, i64 %v68)
  %v82 = icmp ne i64 %v81, 0
  %v83 = xor i1 %v82, true
  br i1 %v83, label %known80, label %next84
next84:
  %v85 = load i64, ptr %v73
  %v86 = load i64, ptr %v69
  %v87 = inttoptr i64 %v86 to ptr
  %v88 = getelementptr i64, ptr %v87, i64 2
  %v89 = load i64, ptr %v88
  %v90 = add i64 %v85, %v89
  %v91 = load i64, ptr %v19
  %v92 = mul i64 4, %v91
  %v93 = icmp sgt i64 %v90, %v92
  br label %known80
known80:
  %v94 = phi i1 [ true, %then57 ], [ %v93, %next84 ]
  br i1 %v94, label %then77, label %else78
then77:
  ret i64 1
else78:
  br label %done79
done79:
  %v95 = load i64, ptr %v76
  %v96 = load i64, ptr %v19
  %v97 = mul i64 4, %v96
  %v98 = mul i64 %v97, 8
  %v99 = add i64 %v95, %v98
  store i64 %v99, ptr %v100
  %v101 = load i64, ptr %v0
  %v102 = load i64, ptr %v36
  %v103 = load i64, ptr %v73
  %v104 = load i64, ptr %v54
  %v105 = call {i64, i64} @nbgrad.runtime.sheet_paste.gather(i64 %v101, i64 %v102, i64 %v103, i64 %v104, i64 %v95, i64 %v99)
  %v106 = load i64, ptr %v69
  %v107 = inttoptr i64 %v106 to ptr
  %v108 = getelementptr i64, ptr %v107, i64 0
  %v109 = load i64, ptr %v108
  %v110 = call i64 @nbgrad.runtime.sheet_paste.paste(i64 %v101, i64 %v109, i64 %v95, i64 %v99)
  store i64 %v110, ptr %v111
  %v112 = mul i64 5, 8
  %v113 = add i64 %v106, %v112
  %v114 = load i64, ptr %v42
  %v115 = call i64 @nbgrad.runtime.sheet_paste.locate(i64 %v101, i64 %v113, i64 %v110, i64 %v95, i64 %v99, i64 %v114)
  store i64 0, ptr %v120
  br label %head116
head116:
  %v121 = load i64, ptr %v120
  %v122 = icmp slt i64 %v121, %v103
  br i1 %v122, label %body117, label %done119
body117:
  store i64 %v121, ptr %v123
  %v124 = load i64, ptr %v36
  %v125 = add i64 2, %v121
  %v126 = inttoptr i64 %v124 to ptr
  %v127 = getelementptr i64, ptr %v126, i64 %v125
  %v128 = load i64, ptr %v127
  store i64 %v128, ptr %v129
  %v133 = icmp sle i64 -3, %v128
  %v134 = icmp slt i64 %v128, 0
  %v135 = and i1 %v133, %v134
  br i1 %v135, label %then130, label %else131
then130:
  %v136 = load i64, ptr %v54
  %v137 = add i64 %v136, 1
  store i64 %v137, ptr %v54
  br label %done132
else131:
  br label %done132
done132:
  br label %step118
step118:
  %v138 = add i64 %v121, 1
  store i64 %v138, ptr %v120
  br label %head116
done119:
  %v139 = load i64, ptr %v0
  %v140 = load i64, ptr %v54
  %v141 = inttoptr i64 %v139 to ptr
  %v142 = getelementptr i64, ptr %v141, i64 25
  store i64 %v140, ptr %v142
  %v143 = load i64, ptr %v36
  %v144 = inttoptr i64 %v143 to ptr
  %v145 = getelementptr i64, ptr %v144, i64 1
  %v146 = load i64, ptr %v145
  store i64 %v146, ptr %v48
  %v150 = load i64, ptr %v69
  %v151 = inttoptr i64 %v150 to ptr
  %v152 = getelementptr i64, ptr %v151, i64 4
  %v153 = load i64, ptr %v152
  %v154 = icmp ne i64 %v153, 0
  br i1 %v154, label %then147, label %else148
then147:
  %v155 = load i64, ptr %v16
  %v156 = load i64, ptr %v36
  %v157 = inttoptr i64 %v156 to ptr
  %v158 = getelementptr i64, ptr %v157, i64 2
  %v159 = load i64, ptr %v158
  %v160 = mul i64 %v159, 8
  %v161 = mul i64 %v160, 8
  %v162 = add i64 %v155, %v161
  store i64 %v162, ptr %v163
  %v167 = inttoptr i64 %v162 to ptr
  %v168 = getelementptr i64, ptr %v167, i64 5
  %v169 = load i64, ptr %v168
  %v170 = load i64, ptr %v48
  %v171 = icmp eq i64 %v169, %v170
  br i1 %v171, label %then164, label %else165
then164:
  %v172 = load i64, ptr %v163
  %v173 = inttoptr i64 %v172 to ptr
  %v174 = getelementptr i64, ptr %v173, i64 4
  %v175 = load i64, ptr %v174
  store i64 %v175, ptr %v47
  br label %done166
else165:
  br label %done166
done166:
  br label %done149
else148:
  br label %done149
done149:
  %v176 = load i64, ptr %v73
  %v177 = add i64 2, %v176
  store i64 %v177, ptr %v49
  br label %done59
else58:
  %v181 = load i64, ptr %v46
  %v182 = icmp eq i64 %v181, -1
  br i1 %v182, label %then178, label %else179
then178:
  %v183 = load i64, ptr %v0
  %v184 = inttoptr i64 %v183 to ptr
  %v185 = getelementptr i64, ptr %v184, i64 19
  %v186 = load i64, ptr %v185
  store i64 %v186, ptr %v187
  %v191 = add i64 %v186, 1
  %v192 = load i64, ptr %v19
  %v193 = mul i64 4, %v192
  %v194 = icmp sge i64 %v191, %v193
  br i1 %v194, label %then188, label %else189
then188:
  ret i64 1
else189:
  br label %done190
done190:
  %v195 = load i64, ptr %v0
  %v196 = inttoptr i64 %v195 to ptr
  %v197 = getelementptr i64, ptr %v196, i64 12
  %v198 = load i64, ptr %v197
  %v199 = load i64, ptr %v187
  %v200 = inttoptr i64 %v198 to ptr
  %v201 = getelementptr i64, ptr %v200, i64 %v199
  store i64 0, ptr %v201
  %v202 = add i64 %v199, 1
  %v203 = getelementptr i64, ptr %v196, i64 19
  store i64 %v202, ptr %v203
  %v204 = load i64, ptr %v36
  %v205 = inttoptr i64 %v204 to ptr
  %v206 = getelementptr i64, ptr %v205, i64 1
  %v207 = load i64, ptr %v206
  store i64 %v207, ptr %v48
  %v208 = load i64, ptr %v42
  %v209 = getelementptr i64, ptr %v205, i64 2
  %v210 = load i64, ptr %v209
  %v211 = inttoptr i64 %v208 to ptr
  %v212 = getelementptr i64, ptr %v211, i64 0
  store i64 %v210, ptr %v212
  %v213 = getelementptr i64, ptr %v211, i64 1
  store i64 %v199, ptr %v213
  %v214 = getelementptr i64, ptr %v211, i64 3
  store i64 0, ptr %v214
  store i64 3, ptr %v49
  br label %done180
else179:
  %v218 = load i64, ptr %v46
  %v219 = icmp eq i64 %v218, -3
  br i1 %v219, label %then215, label %else216
then215:
  %v220 = load i64, ptr %v16
  %v221 = load i64, ptr %v36
  %v222 = inttoptr i64 %v221 to ptr
  %v223 = getelementptr i64, ptr %v222, i64 2
  %v224 = load i64, ptr %v223
  %v225 = mul i64 %v224, 8
  %v226 = mul i64 %v225, 8
  %v227 = add i64 %v220, %v226
  store i64 %v227, ptr %v163
  store i64 0, ptr %v232
  br label %head228
head228:
  %v233 = load i64, ptr %v232
  %v234 = icmp slt i64 %v233, 4
  br i1 %v234, label %body229, label %done231
body229:
  store i64 %v233, ptr %v235
  %v236 = load i64, ptr %v42
  %v237 = load i64, ptr %v163
  %v238 = inttoptr i64 %v237 to ptr
  %v239 = getelementptr i64, ptr %v238, i64 %v233
  %v240 = load i64, ptr %v239
  %v241 = inttoptr i64 %v236 to ptr
  %v242 = getelementptr i64, ptr %v241, i64 %v233
  store i64 %v240, ptr %v242
  br label %step230
step230:
  %v243 = add i64 %v233, 1
  store i64 %v243, ptr %v232
  br label %head228
done231:
  %v244 = load i64, ptr %v36
  %v245 = inttoptr i64 %v244 to ptr
  %v246 = getelementptr i64, ptr %v245, i64 1
  %v247 = load i64, ptr %v246
  store i64 %v247, ptr %v48
  store i64 4, ptr %v49
  br label %done217
else216:
  %v251 = load i64, ptr %v46
  %v252 = icmp eq i64 %v251, -4
  br i1 %v252, label %then248, label %else249
then248:
  %v253 = load i64, ptr %v36
  %v254 = inttoptr i64 %v253 to ptr
  %v255 = getelementptr i64, ptr %v254, i64 3
  %v256 = load i64, ptr %v255
  store i64 %v256, ptr %v257
  %v258 = load i64, ptr %v0
  %v259 = inttoptr i64 %v258 to ptr
  %v260 = getelementptr i64, ptr %v259, i64 23
  %v261 = load i64, ptr %v260
  store i64 %v261, ptr %v262
  %v266 = add i64 %v261, %v256
  %v267 = load i64, ptr %v19
  %v268 = mul i64 2, %v267
  %v269 = icmp sge i64 %v266, %v268
  br i1 %v269, label %then263, label %else264
then263:
  ret i64 1
else264:
  br label %done265
done265:
  %v270 = load i64, ptr %v42
  %v271 = load i64, ptr %v36
  %v272 = inttoptr i64 %v271 to ptr
  %v273 = getelementptr i64, ptr %v272, i64 1
  %v274 = load i64, ptr %v273
  %v275 = inttoptr i64 %v270 to ptr
  %v276 = getelementptr i64, ptr %v275, i64 0
  store i64 %v274, ptr %v276
  %v277 = getelementptr i64, ptr %v272, i64 2
  %v278 = load i64, ptr %v277
  %v279 = getelementptr i64, ptr %v275, i64 1
  store i64 %v278, ptr %v279
  %v280 = load i64, ptr %v262
  %v281 = getelementptr i64, ptr %v275, i64 2
  store i64 %v280, ptr %v281
  %v282 = load i64, ptr %v257
  %v283 = getelementptr i64, ptr %v275, i64 3
  store i64 %v282, ptr %v283
  store i64 0, ptr %v288
  br label %head284
head284:
  %v289 = load i64, ptr %v288
  %v290 = icmp slt i64 %v289, %v282
  br i1 %v290, label %body285, label %done287
body285:
  store i64 %v289, ptr %v235
  %v291 = load i64, ptr %v0
  %v292 = inttoptr i64 %v291 to ptr
  %v293 = getelementptr i64, ptr %v292, i64 14
  %v294 = load i64, ptr %v293
  %v295 = load i64, ptr %v262
  %v296 = add i64 %v295, %v289
  %v297 = load i64, ptr %v36
  %v298 = add i64 4, %v289
  %v299 = inttoptr i64 %v297 to ptr
  %v300 = getelementptr i64, ptr %v299, i64 %v298
  %v301 = load i64, ptr %v300
  %v302 = inttoptr i64 %v294 to ptr
  %v303 = getelementptr i64, ptr %v302, i64 %v296
  store i64 %v301, ptr %v303
  br label %step286
step286:
  %v304 = add i64 %v289, 1
  store i64 %v304, ptr %v288
  br label %head284
done287:
  %v305 = load i64, ptr %v0
  %v306 = load i64, ptr %v262
  %v307 = load i64, ptr %v257
  %v308 = add i64 %v306, %v307
  %v309 = inttoptr i64 %v305 to ptr
  %v310 = getelementptr i64, ptr %v309, i64 23
  store i64 %v308, ptr %v310
  %v311 = add i64 4, %v307
  store i64 %v311, ptr %v49
  br label %done250
else249:
  %v315 = load i64, ptr %v46
  %v316 = icmp eq i64 %v315, -2
  br i1 %v316, label %then312, label %else313
then312:
  %v317 = load i64, ptr %v42
  %v318 = sub i64 0, 1
  %v319 = inttoptr i64 %v317 to ptr
  %v320 = getelementptr i64, ptr %v319, i64 0
  store i64 %v318, ptr %v320
  br label %done314
else313:
  br label %done314
done314:
  br label %done250
done250:
  br label %done217
done217:
  br label %done180
done180:
  br label %done59
done59:
  %v321 = load i64, ptr %v42
  %v322 = load i64, ptr %v47
  %v323 = inttoptr i64 %v321 to ptr
  %v324 = getelementptr i64, ptr %v323, i64 4
  store i64 %v322, ptr %v324
  %v325 = load i64, ptr %v48
  %v326 = getelementptr i64, ptr %v323, i64 5
  store i64 %v325, ptr %v326
  %v327 = load i64, ptr %v10
  %v328 = getelementptr i64, ptr %v323, i64 6
  store i64 %v327, ptr %v328
  %v329 = load i64, ptr %v0
  %v330 = inttoptr i64 %v329 to ptr
  %v331 = getelementptr i64, ptr %v330, i64 9
  %v332 = load i64, ptr %v331
  %v333 = load i64, ptr %v13
  %v334 = inttoptr i64 %v332 to ptr
  %v335 = getelementptr i64, ptr %v334, i64 %v333
  store i64 0, ptr %v335
  %v336 = add i64 %v333, 1
  store i64 %v336, ptr %v13
  %v337 = load i64, ptr %v49
  %v338 = add i64 %v327, %v337
  store i64 %v338, ptr %v10
  %v339 = getelementptr i64, ptr %v330, i64 17
  store i64 %v338, ptr %v339
  %v340 = getelementptr i64, ptr %v330, i64 18
  store i64 %v336, ptr %v340
  br label %head20
done22:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_derive.prepare(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v14 = alloca i64
  %v17 = alloca i64
  %v41 = alloca i64
  %v48 = alloca i64
  %v51 = alloca i64
  %v71 = alloca i64
  %v78 = alloca i64
  %v88 = alloca i64
  %v92 = alloca i64
  %v120 = alloca i64
  %v123 = alloca i64
  %v129 = alloca i64
  %v139 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 8
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 10
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 18
  %v9 = load i64, ptr %v8
  store i64 0, ptr %v14
  br label %head10
head10:
  %v15 = load i64, ptr %v14
  %v16 = icmp slt i64 %v15, %v9
  br i1 %v16, label %body11, label %done13
body11:
  store i64 %v15, ptr %v17
  %v18 = load i64, ptr %v4
  %v19 = mul i64 %v15, 4
  %v20 = mul i64 %v19, 8
  %v21 = add i64 %v18, %v20
  %v22 = sub i64 0, 1
  %v23 = inttoptr i64 %v21 to ptr
  %v24 = getelementptr i64, ptr %v23, i64 0
  store i64 %v22, ptr %v24
  %v25 = load i64, ptr %v7
  %v26 = inttoptr i64 %v25 to ptr
  %v27 = getelementptr i64, ptr %v26, i64 %v15
  store i64 0, ptr %v27
  br label %step12
step12:
  %v28 = add i64 %v15, 1
  store i64 %v28, ptr %v14
  br label %head10
done13:
  %v32 = load i64, ptr %v0
  %v33 = inttoptr i64 %v32 to ptr
  %v34 = getelementptr i64, ptr %v33, i64 30
  %v35 = load i64, ptr %v34
  %v36 = icmp eq i64 %v35, 0
  br i1 %v36, label %then29, label %else30
then29:
  ret i64 0
else30:
  br label %done31
done31:
  %v37 = load i64, ptr %v0
  %v38 = inttoptr i64 %v37 to ptr
  %v39 = getelementptr i64, ptr %v38, i64 7
  %v40 = load i64, ptr %v39
  store i64 %v40, ptr %v41
  %v42 = getelementptr i64, ptr %v38, i64 29
  %v43 = load i64, ptr %v42
  store i64 0, ptr %v48
  br label %head44
head44:
  %v49 = load i64, ptr %v48
  %v50 = icmp slt i64 %v49, %v43
  br i1 %v50, label %body45, label %done47
body45:
  store i64 %v49, ptr %v51
  %v52 = load i64, ptr %v7
  %v53 = load i64, ptr %v0
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = getelementptr i64, ptr %v54, i64 11
  %v56 = load i64, ptr %v55
  %v57 = inttoptr i64 %v56 to ptr
  %v58 = getelementptr i64, ptr %v57, i64 %v49
  %v59 = load i64, ptr %v58
  %v60 = inttoptr i64 %v52 to ptr
  %v61 = getelementptr i64, ptr %v60, i64 %v59
  store i64 1, ptr %v61
  br label %step46
step46:
  %v62 = add i64 %v49, 1
  store i64 %v62, ptr %v48
  br label %head44
done47:
  %v63 = load i64, ptr %v0
  %v64 = inttoptr i64 %v63 to ptr
  %v65 = getelementptr i64, ptr %v64, i64 18
  %v66 = load i64, ptr %v65
  store i64 0, ptr %v71
  br label %head67
head67:
  %v72 = load i64, ptr %v71
  %v73 = icmp slt i64 %v72, %v66
  br i1 %v73, label %body68, label %done70
body68:
  store i64 %v72, ptr %v17
  %v74 = load i64, ptr %v41
  %v75 = mul i64 %v72, 8
  %v76 = mul i64 %v75, 8
  %v77 = add i64 %v74, %v76
  store i64 %v77, ptr %v78
  %v79 = load i64, ptr %v0
  %v80 = inttoptr i64 %v79 to ptr
  %v81 = getelementptr i64, ptr %v80, i64 1
  %v82 = load i64, ptr %v81
  %v83 = inttoptr i64 %v77 to ptr
  %v84 = getelementptr i64, ptr %v83, i64 6
  %v85 = load i64, ptr %v84
  %v86 = mul i64 %v85, 8
  %v87 = add i64 %v82, %v86
  store i64 %v87, ptr %v88
  %v89 = inttoptr i64 %v87 to ptr
  %v90 = getelementptr i64, ptr %v89, i64 0
  %v91 = load i64, ptr %v90
  store i64 %v91, ptr %v92
  %v97 = icmp sge i64 %v91, 0
  br i1 %v97, label %next98, label %known96
next98:
  %v99 = load i64, ptr %v78
  %v100 = inttoptr i64 %v99 to ptr
  %v101 = getelementptr i64, ptr %v100, i64 5
  %v102 = load i64, ptr %v101
  %v103 = icmp ne i64 %v102, 0
  br label %known96
known96:
  %v104 = phi i1 [ false, %body68 ], [ %v103, %next98 ]
  br i1 %v104, label %then93, label %else94
then93:
  %v105 = load i64, ptr %v0
  %v106 = inttoptr i64 %v105 to ptr
  %v107 = getelementptr i64, ptr %v106, i64 3
  %v108 = load i64, ptr %v107
  %v109 = load i64, ptr %v92
  %v110 = inttoptr i64 %v108 to ptr
  %v111 = getelementptr i64, ptr %v110, i64 %v109
  %v112 = load i64, ptr %v111
  %v113 = inttoptr i64 %v112 to ptr
  %v114 = getelementptr i64, ptr %v113, i64 1
  %v115 = load i64, ptr %v114
  store i64 0, ptr %v120
  br label %head116
head116:
  %v121 = load i64, ptr %v120
  %v122 = icmp slt i64 %v121, %v115
  br i1 %v122, label %body117, label %done119
body117:
  store i64 %v121, ptr %v123
  %v124 = load i64, ptr %v88
  %v125 = add i64 2, %v121
  %v126 = inttoptr i64 %v124 to ptr
  %v127 = getelementptr i64, ptr %v126, i64 %v125
  %v128 = load i64, ptr %v127
  store i64 %v128, ptr %v129
  %v133 = icmp sge i64 %v128, 0
  br i1 %v133, label %then130, label %else131
then130:
  %v134 = load i64, ptr %v41
  %v135 = load i64, ptr %v129
  %v136 = mul i64 %v135, 8
  %v137 = mul i64 %v136, 8
  %v138 = add i64 %v134, %v137
  store i64 %v138, ptr %v139
  %v144 = inttoptr i64 %v138 to ptr
  %v145 = getelementptr i64, ptr %v144, i64 5
  %v146 = load i64, ptr %v145
  %v147 = icmp ne i64 %v146, 0
  br i1 %v147, label %next148, label %known143
next148:
  %v149 = load i64, ptr %v7
  %v150 = load i64, ptr %v139
  %v151 = inttoptr i64 %v150 to ptr
  %v152 = getelementptr i64, ptr %v151, i64 4
  %v153 = load i64, ptr %v152
  %v154 = inttoptr i64 %v149 to ptr
  %v155 = getelementptr i64, ptr %v154, i64 %v153
  %v156 = load i64, ptr %v155
  %v157 = icmp ne i64 %v156, 0
  br label %known143
known143:
  %v158 = phi i1 [ false, %then130 ], [ %v157, %next148 ]
  br i1 %v158, label %then140, label %else141
then140:
  %v159 = load i64, ptr %v7
  %v160 = load i64, ptr %v17
  %v161 = inttoptr i64 %v159 to ptr
  %v162 = getelementptr i64, ptr %v161, i64 %v160
  store i64 1, ptr %v162
  br label %done142
else141:
  br label %done142
done142:
  br label %done132
else131:
  br label %done132
done132:
  br label %step118
step118:
  %v163 = add i64 %v121, 1
  store i64 %v163, ptr %v120
  br label %head116
done119:
  br label %done95
else94:
  br label %done95
done95:
  br label %step69
step69:
  %v164 = add i64 %v72, 1
  store i64 %v164, ptr %v71
  br label %head67
done70:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_derive.sow(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v9 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 8
  %v3 = load i64, ptr %v2
  %v4 = getelementptr i64, ptr %v1, i64 32
  %v5 = load i64, ptr %v4
  %v6 = mul i64 %v5, 4
  %v7 = mul i64 %v6, 8
  %v8 = add i64 %v3, %v7
  store i64 %v8, ptr %v9
  %v10 = getelementptr i64, ptr %v1, i64 33
  %v11 = load i64, ptr %v10
  %v12 = inttoptr i64 %v8 to ptr
  %v13 = getelementptr i64, ptr %v12, i64 0
  store i64 %v11, ptr %v13
  %v14 = sub i64 0, 1
  %v15 = getelementptr i64, ptr %v12, i64 1
  store i64 %v14, ptr %v15
  %v16 = getelementptr i64, ptr %v12, i64 3
  store i64 0, ptr %v16
  %v17 = getelementptr i64, ptr %v1, i64 29
  store i64 0, ptr %v17
  %v18 = getelementptr i64, ptr %v1, i64 18
  %v19 = load i64, ptr %v18
  %v20 = sub i64 %v19, 1
  %v21 = getelementptr i64, ptr %v1, i64 34
  store i64 %v20, ptr %v21
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_derive.pull_back(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v10 = alloca i64
  %v21 = alloca i64
  %v26 = alloca i64
  %v40 = alloca i64
  %v78 = alloca i64
  %v82 = alloca i64
  %v92 = alloca i64
  %v111 = alloca i64
  %v142 = alloca i64
  %v147 = alloca i64
  %v159 = alloca i64
  %v162 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 7
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 8
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 34
  %v9 = load i64, ptr %v8
  store i64 %v9, ptr %v10
  br label %head11
head11:
  %v14 = load i64, ptr %v10
  %v15 = icmp sge i64 %v14, 0
  br i1 %v15, label %body12, label %done13
body12:
  %v16 = load i64, ptr %v7
  %v17 = load i64, ptr %v10
  %v18 = mul i64 %v17, 4
  %v19 = mul i64 %v18, 8
  %v20 = add i64 %v16, %v19
  store i64 %v20, ptr %v21
  %v22 = load i64, ptr %v4
  %v23 = mul i64 %v17, 8
  %v24 = mul i64 %v23, 8
  %v25 = add i64 %v22, %v24
  store i64 %v25, ptr %v26
  %v28 = inttoptr i64 %v20 to ptr
  %v29 = getelementptr i64, ptr %v28, i64 0
  %v30 = load i64, ptr %v29
  %v31 = icmp sge i64 %v30, 0
  br i1 %v31, label %next32, label %known27
next32:
  %v33 = load i64, ptr %v26
  %v34 = inttoptr i64 %v33 to ptr
  %v35 = getelementptr i64, ptr %v34, i64 5
  %v36 = load i64, ptr %v35
  %v37 = icmp ne i64 %v36, 0
  br label %known27
known27:
  %v38 = phi i1 [ false, %body12 ], [ %v37, %next32 ]
  %v39 = zext i1 %v38 to i64
  store i64 %v39, ptr %v40
  %v45 = icmp ne i64 %v39, 0
  br i1 %v45, label %next46, label %known44
next46:
  %v47 = load i64, ptr %v0
  %v48 = inttoptr i64 %v47 to ptr
  %v49 = getelementptr i64, ptr %v48, i64 30
  %v50 = load i64, ptr %v49
  %v51 = icmp ne i64 %v50, 0
  br label %known44
known44:
  %v52 = phi i1 [ false, %known27 ], [ %v51, %next46 ]
  br i1 %v52, label %then41, label %else42
then41:
  %v53 = load i64, ptr %v0
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = getelementptr i64, ptr %v54, i64 10
  %v56 = load i64, ptr %v55
  %v57 = load i64, ptr %v10
  %v58 = inttoptr i64 %v56 to ptr
  %v59 = getelementptr i64, ptr %v58, i64 %v57
  %v60 = load i64, ptr %v59
  %v61 = icmp ne i64 %v60, 0
  %v62 = zext i1 %v61 to i64
  store i64 %v62, ptr %v40
  br label %done43
else42:
  br label %done43
done43:
  %v66 = load i64, ptr %v40
  %v67 = icmp ne i64 %v66, 0
  br i1 %v67, label %then63, label %else64
then63:
  %v68 = load i64, ptr %v0
  %v69 = inttoptr i64 %v68 to ptr
  %v70 = getelementptr i64, ptr %v69, i64 1
  %v71 = load i64, ptr %v70
  %v72 = load i64, ptr %v26
  %v73 = inttoptr i64 %v72 to ptr
  %v74 = getelementptr i64, ptr %v73, i64 6
  %v75 = load i64, ptr %v74
  %v76 = mul i64 %v75, 8
  %v77 = add i64 %v71, %v76
  store i64 %v77, ptr %v78
  %v79 = inttoptr i64 %v77 to ptr
  %v80 = getelementptr i64, ptr %v79, i64 0
  %v81 = load i64, ptr %v80
  store i64 %v81, ptr %v82
  %v86 = icmp sge i64 %v81, 0
  br i1 %v86, label %then83, label %else84
then83:
  %v87 = load i64, ptr %v0
  %v88 = load i64, ptr %v26
  %v89 = load i64, ptr %v78
  %v90 = load i64, ptr %v21
  %v91 = call i64 @nbgrad.runtime.sheet_derive.pull_back_call(i64 %v87, i64 %v88, i64 %v89, i64 %v90)
  store i64 %v91, ptr %v92
  %v96 = icmp ne i64 %v91, 0
  br i1 %v96, label %then93, label %else94
then93:
  %v97 = load i64, ptr %v0
  %v98 = load i64, ptr %v10
  %v99 = inttoptr i64 %v97 to ptr
  %v100 = getelementptr i64, ptr %v99, i64 34
  store i64 %v98, ptr %v100
  %v101 = load i64, ptr %v92
  ret i64 %v101
else94:
  br label %done95
done95:
  br label %done85
else84:
  %v105 = load i64, ptr %v82
  %v106 = icmp eq i64 %v105, -1
  br i1 %v106, label %then102, label %else103
then102:
  %v107 = load i64, ptr %v0
  %v108 = inttoptr i64 %v107 to ptr
  %v109 = getelementptr i64, ptr %v108, i64 29
  %v110 = load i64, ptr %v109
  store i64 %v110, ptr %v111
  %v112 = getelementptr i64, ptr %v108, i64 11
  %v113 = load i64, ptr %v112
  %v114 = load i64, ptr %v10
  %v115 = inttoptr i64 %v113 to ptr
  %v116 = getelementptr i64, ptr %v115, i64 %v110
  store i64 %v114, ptr %v116
  %v117 = add i64 %v110, 1
  store i64 %v117, ptr %v109
  br label %done104
else103:
  %v122 = load i64, ptr %v82
  %v123 = icmp eq i64 %v122, -3
  br i1 %v123, label %next124, label %known121
next124:
  %v125 = load i64, ptr %v78
  %v126 = inttoptr i64 %v125 to ptr
  %v127 = getelementptr i64, ptr %v126, i64 3
  %v128 = load i64, ptr %v127
  %v129 = icmp sge i64 %v128, 0
  br label %known121
known121:
  %v130 = phi i1 [ false, %else103 ], [ %v129, %next124 ]
  br i1 %v130, label %then118, label %else119
then118:
  %v131 = load i64, ptr %v4
  %v132 = load i64, ptr %v78
  %v133 = inttoptr i64 %v132 to ptr
  %v134 = getelementptr i64, ptr %v133, i64 3
  %v135 = load i64, ptr %v134
  %v136 = mul i64 %v135, 8
  %v137 = mul i64 %v136, 8
  %v138 = add i64 %v131, %v137
  %v139 = inttoptr i64 %v138 to ptr
  %v140 = getelementptr i64, ptr %v139, i64 4
  %v141 = load i64, ptr %v140
  store i64 %v141, ptr %v142
  %v143 = load i64, ptr %v7
  %v144 = mul i64 %v141, 4
  %v145 = mul i64 %v144, 8
  %v146 = add i64 %v143, %v145
  store i64 %v146, ptr %v147
  %v151 = inttoptr i64 %v146 to ptr
  %v152 = getelementptr i64, ptr %v151, i64 0
  %v153 = load i64, ptr %v152
  %v154 = icmp sge i64 %v153, 0
  br i1 %v154, label %then148, label %else149
then148:
  ret i64 3
else149:
  br label %done150
done150:
  store i64 0, ptr %v159
  br label %head155
head155:
  %v160 = load i64, ptr %v159
  %v161 = icmp slt i64 %v160, 4
  br i1 %v161, label %body156, label %done158
body156:
  store i64 %v160, ptr %v162
  %v163 = load i64, ptr %v147
  %v164 = load i64, ptr %v21
  %v165 = inttoptr i64 %v164 to ptr
  %v166 = getelementptr i64, ptr %v165, i64 %v160
  %v167 = load i64, ptr %v166
  %v168 = inttoptr i64 %v163 to ptr
  %v169 = getelementptr i64, ptr %v168, i64 %v160
  store i64 %v167, ptr %v169
  br label %step157
step157:
  %v170 = add i64 %v160, 1
  store i64 %v170, ptr %v159
  br label %head155
done158:
  br label %done120
else119:
  ret i64 3
done120:
  br label %done104
done104:
  br label %done85
done85:
  %v174 = load i64, ptr %v0
  %v175 = inttoptr i64 %v174 to ptr
  %v176 = getelementptr i64, ptr %v175, i64 31
  %v177 = load i64, ptr %v176
  %v178 = icmp eq i64 %v177, 0
  br i1 %v178, label %then171, label %else172
then171:
  %v179 = load i64, ptr %v0
  %v180 = inttoptr i64 %v179 to ptr
  %v181 = getelementptr i64, ptr %v180, i64 9
  %v182 = load i64, ptr %v181
  %v183 = load i64, ptr %v10
  %v184 = inttoptr i64 %v182 to ptr
  %v185 = getelementptr i64, ptr %v184, i64 %v183
  store i64 1, ptr %v185
  br label %done173
else172:
  br label %done173
done173:
  br label %done65
else64:
  br label %done65
done65:
  %v186 = load i64, ptr %v10
  %v187 = sub i64 %v186, 1
  store i64 %v187, ptr %v10
  br label %head11
done13:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_derive.list_leaves(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v10 = alloca i64
  %v17 = alloca i64
  %v20 = alloca i64
  %v25 = alloca i64
  %v33 = alloca i64
  %v36 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 11
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 8
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 16
  %v9 = load i64, ptr %v8
  store i64 %v9, ptr %v10
  %v11 = getelementptr i64, ptr %v1, i64 29
  %v12 = load i64, ptr %v11
  store i64 0, ptr %v17
  br label %head13
head13:
  %v18 = load i64, ptr %v17
  %v19 = icmp slt i64 %v18, %v12
  br i1 %v19, label %body14, label %done16
body14:
  store i64 %v18, ptr %v20
  %v21 = load i64, ptr %v4
  %v22 = inttoptr i64 %v21 to ptr
  %v23 = getelementptr i64, ptr %v22, i64 %v18
  %v24 = load i64, ptr %v23
  store i64 %v24, ptr %v25
  %v26 = load i64, ptr %v10
  %v27 = inttoptr i64 %v26 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 0
  store i64 %v24, ptr %v28
  store i64 0, ptr %v33
  br label %head29
head29:
  %v34 = load i64, ptr %v33
  %v35 = icmp slt i64 %v34, 4
  br i1 %v35, label %body30, label %done32
body30:
  store i64 %v34, ptr %v36
  %v37 = load i64, ptr %v10
  %v38 = add i64 1, %v34
  %v39 = load i64, ptr %v7
  %v40 = load i64, ptr %v25
  %v41 = mul i64 %v40, 4
  %v42 = mul i64 %v41, 8
  %v43 = add i64 %v39, %v42
  %v44 = inttoptr i64 %v43 to ptr
  %v45 = getelementptr i64, ptr %v44, i64 %v34
  %v46 = load i64, ptr %v45
  %v47 = inttoptr i64 %v37 to ptr
  %v48 = getelementptr i64, ptr %v47, i64 %v38
  store i64 %v46, ptr %v48
  br label %step31
step31:
  %v49 = add i64 %v34, 1
  store i64 %v49, ptr %v33
  br label %head29
done32:
  %v50 = load i64, ptr %v10
  %v51 = mul i64 5, 8
  %v52 = add i64 %v50, %v51
  store i64 %v52, ptr %v10
  br label %step15
step15:
  %v53 = add i64 %v18, 1
  store i64 %v53, ptr %v17
  br label %head13
done16:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_place.place(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v14 = alloca i64
  %v19 = alloca i64
  %v21 = alloca i64
  %v23 = alloca i64
  %v28 = alloca i64
  %v31 = alloca i64
  %v44 = alloca i64
  %v47 = alloca i64
  %v58 = alloca i64
  %v61 = alloca i64
  %v64 = alloca i64
  %v65 = alloca i64
  %v72 = alloca i64
  %v75 = alloca i64
  %v80 = alloca i64
  %v83 = alloca i64
  %v87 = alloca i64
  %v94 = alloca i64
  %v112 = alloca i64
  %v116 = alloca i64
  %v146 = alloca i64
  %v174 = alloca i64
  store i64 %sheet, ptr %v0
  %v4 = inttoptr i64 %sheet to ptr
  %v5 = getelementptr i64, ptr %v4, i64 20
  %v6 = load i64, ptr %v5
  %v7 = icmp sle i64 %v6, 16384
  br i1 %v7, label %then1, label %else2
then1:
  %v8 = load i64, ptr %v0
  %v9 = call i64 @nbgrad.runtime.sheet_place.side_by_side(i64 %v8)
  ret i64 %v9
else2:
  br label %done3
done3:
  %v10 = load i64, ptr %v0
  %v11 = inttoptr i64 %v10 to ptr
  %v12 = getelementptr i64, ptr %v11, i64 16
  %v13 = load i64, ptr %v12
  store i64 %v13, ptr %v14
  %v15 = getelementptr i64, ptr %v11, i64 6
  %v16 = load i64, ptr %v15
  %v17 = mul i64 4, %v16
  %v18 = mul i64 %v17, 8
  store i64 %v18, ptr %v19
  %v20 = add i64 %v13, %v18
  store i64 %v20, ptr %v21
  %v22 = add i64 %v20, %v18
  store i64 %v22, ptr %v23
  store i64 0, ptr %v28
  br label %head24
head24:
  %v29 = load i64, ptr %v28
  %v30 = icmp slt i64 %v29, 64
  br i1 %v30, label %body25, label %done27
body25:
  store i64 %v29, ptr %v31
  %v32 = load i64, ptr %v23
  %v33 = inttoptr i64 %v32 to ptr
  %v34 = getelementptr i64, ptr %v33, i64 %v29
  store i64 -1, ptr %v34
  br label %step26
step26:
  %v35 = add i64 %v29, 1
  store i64 %v35, ptr %v28
  br label %head24
done27:
  %v36 = load i64, ptr %v0
  %v37 = inttoptr i64 %v36 to ptr
  %v38 = getelementptr i64, ptr %v37, i64 19
  %v39 = load i64, ptr %v38
  store i64 0, ptr %v44
  br label %head40
head40:
  %v45 = load i64, ptr %v44
  %v46 = icmp slt i64 %v45, %v39
  br i1 %v46, label %body41, label %done43
body41:
  store i64 %v45, ptr %v47
  %v48 = load i64, ptr %v14
  %v49 = inttoptr i64 %v48 to ptr
  %v50 = getelementptr i64, ptr %v49, i64 %v45
  store i64 -1, ptr %v50
  br label %step42
step42:
  %v51 = add i64 %v45, 1
  store i64 %v51, ptr %v44
  br label %head40
done43:
  %v52 = load i64, ptr %v0
  %v53 = load i64, ptr %v14
  %v54 = call i64 @nbgrad.runtime.sheet_place.find_last_readers(i64 %v52, i64 %v53)
  %v55 = inttoptr i64 %v52 to ptr
  %v56 = getelementptr i64, ptr %v55, i64 37
  %v57 = load i64, ptr %v56
  store i64 %v57, ptr %v58
  %v59 = getelementptr i64, ptr %v55, i64 12
  %v60 = load i64, ptr %v59
  store i64 %v60, ptr %v61
  %v62 = getelementptr i64, ptr %v55, i64 13
  %v63 = load i64, ptr %v62
  store i64 %v63, ptr %v64
  store i64 0, ptr %v65
  %v66 = getelementptr i64, ptr %v55, i64 22
  %v67 = load i64, ptr %v66
  store i64 0, ptr %v72
  br label %head68
head68:
  %v73 = load i64, ptr %v72
  %v74 = icmp slt i64 %v73, %v67
  br i1 %v74, label %body69, label %done71
body69:
  store i64 %v73, ptr %v75
  %v76 = load i64, ptr %v64
  %v77 = inttoptr i64 %v76 to ptr
  %v78 = getelementptr i64, ptr %v77, i64 0
  %v79 = load i64, ptr %v78
  store i64 %v79, ptr %v80
  %v81 = getelementptr i64, ptr %v77, i64 1
  %v82 = load i64, ptr %v81
  store i64 %v82, ptr %v83
  %v84 = inttoptr i64 %v79 to ptr
  %v85 = getelementptr i64, ptr %v84, i64 11
  %v86 = load i64, ptr %v85
  store i64 %v86, ptr %v87
  %v88 = getelementptr i64, ptr %v84, i64 12
  %v89 = load i64, ptr %v88
  store i64 0, ptr %v94
  br label %head90
head90:
  %v95 = load i64, ptr %v94
  %v96 = icmp slt i64 %v95, %v89
  br i1 %v96, label %body91, label %done93
body91:
  store i64 %v95, ptr %v31
  %v97 = load i64, ptr %v83
  %v98 = add i64 %v97, %v95
  store i64 %v98, ptr %v47
  %v102 = load i64, ptr %v58
  %v103 = inttoptr i64 %v102 to ptr
  %v104 = getelementptr i64, ptr %v103, i64 %v98
  %v105 = load i64, ptr %v104
  %v106 = icmp eq i64 %v105, 0
  br i1 %v106, label %then99, label %else100
then99:
  %v107 = load i64, ptr %v61
  %v108 = load i64, ptr %v47
  %v109 = inttoptr i64 %v107 to ptr
  %v110 = getelementptr i64, ptr %v109, i64 %v108
  %v111 = load i64, ptr %v110
  store i64 %v111, ptr %v112
  %v113 = load i64, ptr %v23
  %v114 = load i64, ptr %v21
  %v115 = call i64 @nbgrad.runtime.sheet_place.taken(i64 %v113, i64 %v114, i64 %v107, i64 %v111)
  store i64 %v115, ptr %v116
  %v120 = icmp eq i64 %v115, -1
  br i1 %v120, label %then117, label %else118
then117:
  %v121 = load i64, ptr %v58
  %v122 = load i64, ptr %v47
  %v123 = sub i64 0, 1
  %v124 = load i64, ptr %v65
  %v125 = sub i64 %v123, %v124
  %v126 = inttoptr i64 %v121 to ptr
  %v127 = getelementptr i64, ptr %v126, i64 %v122
  store i64 %v125, ptr %v127
  %v128 = load i64, ptr %v112
  %v129 = add i64 %v124, %v128
  store i64 %v129, ptr %v65
  br label %done119
else118:
  %v130 = load i64, ptr %v58
  %v131 = load i64, ptr %v47
  %v132 = load i64, ptr %v116
  %v133 = inttoptr i64 %v130 to ptr
  %v134 = getelementptr i64, ptr %v133, i64 %v132
  %v135 = load i64, ptr %v134
  %v136 = getelementptr i64, ptr %v133, i64 %v131
  store i64 %v135, ptr %v136
  br label %done119
done119:
  br label %done101
else100:
  br label %done101
done101:
  br label %step92
step92:
  %v137 = add i64 %v95, 1
  store i64 %v137, ptr %v94
  br label %head90
done93:
  %v138 = load i64, ptr %v80
  %v139 = inttoptr i64 %v138 to ptr
  %v140 = getelementptr i64, ptr %v139, i64 12
  %v141 = load i64, ptr %v140
  store i64 0, ptr %v146
  br label %head142
head142:
  %v147 = load i64, ptr %v146
  %v148 = icmp slt i64 %v147, %v141
  br i1 %v148, label %body143, label %done145
body143:
  store i64 %v147, ptr %v31
  %v152 = load i64, ptr %v14
  %v153 = load i64, ptr %v83
  %v154 = add i64 %v153, %v147
  %v155 = inttoptr i64 %v152 to ptr
  %v156 = getelementptr i64, ptr %v155, i64 %v154
  %v157 = load i64, ptr %v156
  %v158 = load i64, ptr %v75
  %v159 = icmp eq i64 %v157, %v158
  br i1 %v159, label %then149, label %else150
then149:
  %v160 = load i64, ptr %v23
  %v161 = load i64, ptr %v21
  %v162 = load i64, ptr %v14
  %v163 = load i64, ptr %v61
  %v164 = load i64, ptr %v83
  %v165 = load i64, ptr %v31
  %v166 = add i64 %v164, %v165
  %v167 = call i64 @nbgrad.runtime.sheet_place.free(i64 %v160, i64 %v161, i64 %v162, i64 %v163, i64 %v166)
  br label %done151
else150:
  br label %done151
done151:
  br label %step144
step144:
  %v168 = add i64 %v147, 1
  store i64 %v168, ptr %v146
  br label %head142
done145:
  %v169 = load i64, ptr %v87
  store i64 0, ptr %v174
  br label %head170
head170:
  %v175 = load i64, ptr %v174
  %v176 = icmp slt i64 %v175, %v169
  br i1 %v176, label %body171, label %done173
body171:
  store i64 %v175, ptr %v31
  %v177 = load i64, ptr %v64
  %v178 = add i64 2, %v175
  %v179 = inttoptr i64 %v177 to ptr
  %v180 = getelementptr i64, ptr %v179, i64 %v178
  %v181 = load i64, ptr %v180
  store i64 %v181, ptr %v47
  %v186 = icmp sge i64 %v181, 0
  br i1 %v186, label %next187, label %known185
next187:
  %v188 = load i64, ptr %v14
  %v189 = load i64, ptr %v47
  %v190 = inttoptr i64 %v188 to ptr
  %v191 = getelementptr i64, ptr %v190, i64 %v189
  %v192 = load i64, ptr %v191
  %v193 = load i64, ptr %v75
  %v194 = icmp eq i64 %v192, %v193
  br label %known185
known185:
  %v195 = phi i1 [ false, %body171 ], [ %v194, %next187 ]
  br i1 %v195, label %then182, label %else183
then182:
  %v196 = load i64, ptr %v23
  %v197 = load i64, ptr %v21
  %v198 = load i64, ptr %v14
  %v199 = load i64, ptr %v61
  %v200 = load i64, ptr %v47
  %v201 = call i64 @nbgrad.runtime.sheet_place.free(i64 %v196, i64 %v197, i64 %v198, i64 %v199, i64 %v200)
  br label %done184
else183:
  br label %done184
done184:
  br label %step172
step172:
  %v202 = add i64 %v175, 1
  store i64 %v202, ptr %v174
  br label %head170
done173:
  %v203 = load i64, ptr %v64
  %v204 = load i64, ptr %v87
  %v205 = add i64 2, %v204
  %v206 = mul i64 %v205, 8
  %v207 = add i64 %v203, %v206
  store i64 %v207, ptr %v64
  br label %step70
step70:
  %v208 = add i64 %v73, 1
  store i64 %v208, ptr %v72
  br label %head68
done71:
  %v209 = load i64, ptr %v65
  ret i64 %v209
}
define internal i64 @nbgrad.runtime.sheet_link.fit(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v7 = alloca i64
  %v14 = alloca i64
  %v20 = alloca i64
  %v25 = alloca i64
  %v34 = alloca i64
  %v39 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 40
  %v3 = load i64, ptr %v2
  %v4 = add i64 %v3, 64
  %v5 = sub i64 0, 64
  %v6 = and i64 %v4, %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 28
  %v9 = load i64, ptr %v8
  %v10 = add i64 %v9, 64
  %v11 = sub i64 0, 64
  %v12 = and i64 %v10, %v11
  %v13 = add i64 %v6, %v12
  store i64 %v13, ptr %v14
  %v15 = getelementptr i64, ptr %v1, i64 26
  %v16 = load i64, ptr %v15
  %v17 = mul i64 %v16, 6
  %v18 = mul i64 %v17, 8
  %v19 = add i64 %v13, %v18
  store i64 %v19, ptr %v20
  %v21 = getelementptr i64, ptr %v1, i64 27
  %v22 = load i64, ptr %v21
  %v23 = mul i64 %v22, 8
  %v24 = add i64 %v19, %v23
  store i64 %v24, ptr %v25
  %v29 = getelementptr i64, ptr %v1, i64 39
  %v30 = load i64, ptr %v29
  %v31 = icmp sgt i64 %v24, %v30
  br i1 %v31, label %then26, label %else27
then26:
  %v32 = load i64, ptr %v25
  %v33 = sub i64 0, %v32
  store i64 %v33, ptr %v34
  ret i64 %v33
else27:
  br label %done28
done28:
  %v35 = load i64, ptr %v0
  %v36 = inttoptr i64 %v35 to ptr
  %v37 = getelementptr i64, ptr %v36, i64 38
  %v38 = load i64, ptr %v37
  store i64 %v38, ptr %v39
  %v40 = load i64, ptr %v7
  %v41 = add i64 %v38, %v40
  %v42 = getelementptr i64, ptr %v36, i64 41
  store i64 %v41, ptr %v42
  %v43 = load i64, ptr %v14
  %v44 = add i64 %v38, %v43
  %v45 = getelementptr i64, ptr %v36, i64 43
  store i64 %v44, ptr %v45
  %v46 = load i64, ptr %v20
  %v47 = add i64 %v38, %v46
  %v48 = getelementptr i64, ptr %v36, i64 44
  store i64 %v47, ptr %v48
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_link.link(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v14 = alloca i64
  %v17 = alloca i64
  %v39 = alloca i64
  %v42 = alloca i64
  %v45 = alloca i64
  %v48 = alloca i64
  %v51 = alloca i64
  %v52 = alloca i64
  %v53 = alloca i64
  %v60 = alloca i64
  %v63 = alloca i64
  %v68 = alloca i64
  %v71 = alloca i64
  %v75 = alloca i64
  %v78 = alloca i64
  %v91 = alloca i64
  %v105 = alloca i64
  %v134 = alloca i64
  %v141 = alloca i64
  %v148 = alloca i64
  %v164 = alloca i64
  %v209 = alloca i64
  %v216 = alloca i64
  %v223 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 37
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 38
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 19
  %v9 = load i64, ptr %v8
  store i64 0, ptr %v14
  br label %head10
head10:
  %v15 = load i64, ptr %v14
  %v16 = icmp slt i64 %v15, %v9
  br i1 %v16, label %body11, label %done13
body11:
  store i64 %v15, ptr %v17
  %v21 = load i64, ptr %v4
  %v22 = inttoptr i64 %v21 to ptr
  %v23 = getelementptr i64, ptr %v22, i64 %v15
  %v24 = load i64, ptr %v23
  %v25 = icmp slt i64 %v24, 0
  br i1 %v25, label %then18, label %else19
then18:
  %v26 = load i64, ptr %v4
  %v27 = load i64, ptr %v17
  %v28 = load i64, ptr %v7
  %v29 = inttoptr i64 %v26 to ptr
  %v30 = getelementptr i64, ptr %v29, i64 %v27
  %v31 = load i64, ptr %v30
  %v32 = sub i64 %v28, %v31
  %v33 = sub i64 %v32, 1
  store i64 %v33, ptr %v30
  br label %done20
else19:
  br label %done20
done20:
  br label %step12
step12:
  %v34 = add i64 %v15, 1
  store i64 %v34, ptr %v14
  br label %head10
done13:
  %v35 = load i64, ptr %v0
  %v36 = inttoptr i64 %v35 to ptr
  %v37 = getelementptr i64, ptr %v36, i64 43
  %v38 = load i64, ptr %v37
  store i64 %v38, ptr %v39
  %v40 = getelementptr i64, ptr %v36, i64 44
  %v41 = load i64, ptr %v40
  store i64 %v41, ptr %v42
  %v43 = getelementptr i64, ptr %v36, i64 41
  %v44 = load i64, ptr %v43
  store i64 %v44, ptr %v45
  %v46 = getelementptr i64, ptr %v36, i64 42
  %v47 = load i64, ptr %v46
  store i64 %v47, ptr %v48
  %v49 = getelementptr i64, ptr %v36, i64 13
  %v50 = load i64, ptr %v49
  store i64 %v50, ptr %v51
  store i64 0, ptr %v52
  store i64 0, ptr %v53
  %v54 = getelementptr i64, ptr %v36, i64 22
  %v55 = load i64, ptr %v54
  store i64 0, ptr %v60
  br label %head56
head56:
  %v61 = load i64, ptr %v60
  %v62 = icmp slt i64 %v61, %v55
  br i1 %v62, label %body57, label %done59
body57:
  store i64 %v61, ptr %v63
  %v64 = load i64, ptr %v51
  %v65 = inttoptr i64 %v64 to ptr
  %v66 = getelementptr i64, ptr %v65, i64 0
  %v67 = load i64, ptr %v66
  store i64 %v67, ptr %v68
  %v69 = getelementptr i64, ptr %v65, i64 1
  %v70 = load i64, ptr %v69
  store i64 %v70, ptr %v71
  %v72 = inttoptr i64 %v67 to ptr
  %v73 = getelementptr i64, ptr %v72, i64 11
  %v74 = load i64, ptr %v73
  store i64 %v74, ptr %v75
  %v76 = getelementptr i64, ptr %v72, i64 3
  %v77 = load i64, ptr %v76
  store i64 %v77, ptr %v78
  %v79 = getelementptr i64, ptr %v72, i64 0
  %v80 = load i64, ptr %v79
  %v81 = load i64, ptr %v39
  %v82 = getelementptr i64, ptr %v72, i64 1
  %v83 = load i64, ptr %v82
  %v84 = mul i64 %v83, 6
  %v85 = call i64 @nbgrad.runtime.sheet_link.copy_words(i64 %v80, i64 %v81, i64 %v84)
  %v86 = load i64, ptr %v82
  store i64 0, ptr %v91
  br label %head87
head87:
  %v92 = load i64, ptr %v91
  %v93 = icmp slt i64 %v92, %v86
  br i1 %v93, label %body88, label %done90
body88:
  store i64 %v92, ptr %v63
  %v94 = load i64, ptr %v39
  %v95 = inttoptr i64 %v94 to ptr
  %v96 = getelementptr i64, ptr %v95, i64 1
  %v97 = load i64, ptr %v96
  %v98 = load i64, ptr %v52
  %v99 = add i64 %v97, %v98
  store i64 %v99, ptr %v96
  %v100 = getelementptr i64, ptr %v95, i64 2
  %v101 = load i64, ptr %v100
  %v102 = getelementptr i64, ptr %v95, i64 4
  %v103 = load i64, ptr %v102
  %v104 = mul i64 %v101, %v103
  store i64 %v104, ptr %v105
  %v110 = getelementptr i64, ptr %v95, i64 5
  %v111 = load i64, ptr %v110
  %v112 = and i64 %v111, 1
  %v113 = icmp ne i64 %v112, 0
  br i1 %v113, label %next114, label %known109
next114:
  %v115 = load i64, ptr %v105
  %v116 = icmp sge i64 %v115, 4000000
  br label %known109
known109:
  %v117 = phi i1 [ false, %body88 ], [ %v116, %next114 ]
  br i1 %v117, label %then106, label %else107
then106:
  %v118 = load i64, ptr %v53
  %v119 = load i64, ptr %v105
  %v120 = add i64 %v118, %v119
  store i64 %v120, ptr %v53
  br label %done108
else107:
  br label %done108
done108:
  %v121 = load i64, ptr %v39
  %v122 = mul i64 6, 8
  %v123 = add i64 %v121, %v122
  store i64 %v123, ptr %v39
  br label %step89
step89:
  %v124 = add i64 %v92, 1
  store i64 %v124, ptr %v91
  br label %head87
done90:
  %v125 = load i64, ptr %v68
  %v126 = inttoptr i64 %v125 to ptr
  %v127 = getelementptr i64, ptr %v126, i64 2
  %v128 = load i64, ptr %v127
  %v129 = load i64, ptr %v42
  %v130 = load i64, ptr %v78
  %v131 = call i64 @nbgrad.runtime.sheet_link.copy_words(i64 %v128, i64 %v129, i64 %v130)
  %v132 = getelementptr i64, ptr %v126, i64 4
  %v133 = load i64, ptr %v132
  store i64 %v133, ptr %v134
  %v135 = getelementptr i64, ptr %v126, i64 5
  %v136 = load i64, ptr %v135
  store i64 0, ptr %v141
  br label %head137
head137:
  %v142 = load i64, ptr %v141
  %v143 = icmp slt i64 %v142, %v136
  br i1 %v143, label %body138, label %done140
body138:
  store i64 %v142, ptr %v63
  %v144 = load i64, ptr %v134
  %v145 = inttoptr i64 %v144 to ptr
  %v146 = getelementptr i64, ptr %v145, i64 1
  %v147 = load i64, ptr %v146
  store i64 %v147, ptr %v148
  %v152 = load i64, ptr %v75
  %v153 = icmp slt i64 %v147, %v152
  br i1 %v153, label %then149, label %else150
then149:
  %v154 = load i64, ptr %v4
  %v155 = load i64, ptr %v51
  %v156 = load i64, ptr %v148
  %v157 = add i64 2, %v156
  %v158 = inttoptr i64 %v155 to ptr
  %v159 = getelementptr i64, ptr %v158, i64 %v157
  %v160 = load i64, ptr %v159
  %v161 = inttoptr i64 %v154 to ptr
  %v162 = getelementptr i64, ptr %v161, i64 %v160
  %v163 = load i64, ptr %v162
  store i64 %v163, ptr %v164
  br label %done151
else150:
  %v168 = load i64, ptr %v148
  %v169 = load i64, ptr %v75
  %v170 = add i64 %v169, 0
  %v171 = icmp eq i64 %v168, %v170
  br i1 %v171, label %then165, label %else166
then165:
  %v172 = load i64, ptr %v4
  %v173 = load i64, ptr %v71
  %v174 = load i64, ptr %v134
  %v175 = inttoptr i64 %v174 to ptr
  %v176 = getelementptr i64, ptr %v175, i64 2
  %v177 = load i64, ptr %v176
  %v178 = add i64 %v173, %v177
  %v179 = inttoptr i64 %v172 to ptr
  %v180 = getelementptr i64, ptr %v179, i64 %v178
  %v181 = load i64, ptr %v180
  store i64 %v181, ptr %v164
  br label %done167
else166:
  %v185 = load i64, ptr %v148
  %v186 = load i64, ptr %v75
  %v187 = add i64 %v186, 1
  %v188 = icmp eq i64 %v185, %v187
  br i1 %v188, label %then182, label %else183
then182:
  %v189 = load i64, ptr %v45
  store i64 %v189, ptr %v164
  br label %done184
else183:
  %v190 = load i64, ptr %v48
  store i64 %v190, ptr %v164
  br label %done184
done184:
  br label %done167
done167:
  br label %done151
done151:
  %v191 = load i64, ptr %v42
  %v192 = load i64, ptr %v134
  %v193 = inttoptr i64 %v192 to ptr
  %v194 = getelementptr i64, ptr %v193, i64 0
  %v195 = load i64, ptr %v194
  %v196 = load i64, ptr %v164
  %v197 = getelementptr i64, ptr %v193, i64 3
  %v198 = load i64, ptr %v197
  %v199 = add i64 %v196, %v198
  %v200 = inttoptr i64 %v191 to ptr
  %v201 = getelementptr i64, ptr %v200, i64 %v195
  store i64 %v199, ptr %v201
  %v202 = mul i64 4, 8
  %v203 = add i64 %v192, %v202
  store i64 %v203, ptr %v134
  br label %step139
step139:
  %v204 = add i64 %v142, 1
  store i64 %v204, ptr %v141
  br label %head137
done140:
  %v205 = load i64, ptr %v68
  %v206 = inttoptr i64 %v205 to ptr
  %v207 = getelementptr i64, ptr %v206, i64 6
  %v208 = load i64, ptr %v207
  store i64 %v208, ptr %v209
  %v210 = getelementptr i64, ptr %v206, i64 7
  %v211 = load i64, ptr %v210
  store i64 0, ptr %v216
  br label %head212
head212:
  %v217 = load i64, ptr %v216
  %v218 = icmp slt i64 %v217, %v211
  br i1 %v218, label %body213, label %done215
body213:
  store i64 %v217, ptr %v63
  %v219 = load i64, ptr %v209
  %v220 = inttoptr i64 %v219 to ptr
  %v221 = getelementptr i64, ptr %v220, i64 0
  %v222 = load i64, ptr %v221
  store i64 %v222, ptr %v223
  %v224 = load i64, ptr %v42
  %v225 = inttoptr i64 %v224 to ptr
  %v226 = getelementptr i64, ptr %v225, i64 %v222
  %v227 = load i64, ptr %v226
  %v228 = load i64, ptr %v48
  %v229 = getelementptr i64, ptr %v220, i64 1
  %v230 = load i64, ptr %v229
  %v231 = inttoptr i64 %v228 to ptr
  %v232 = getelementptr i64, ptr %v231, i64 %v230
  %v233 = load i64, ptr %v232
  %v234 = getelementptr i64, ptr %v220, i64 2
  %v235 = load i64, ptr %v234
  %v236 = mul i64 %v233, %v235
  %v237 = add i64 %v227, %v236
  store i64 %v237, ptr %v226
  %v238 = mul i64 3, 8
  %v239 = add i64 %v219, %v238
  store i64 %v239, ptr %v209
  br label %step214
step214:
  %v240 = add i64 %v217, 1
  store i64 %v240, ptr %v216
  br label %head212
done215:
  %v241 = load i64, ptr %v42
  %v242 = load i64, ptr %v78
  %v243 = mul i64 %v242, 8
  %v244 = add i64 %v241, %v243
  store i64 %v244, ptr %v42
  %v245 = load i64, ptr %v52
  %v246 = add i64 %v245, %v242
  store i64 %v246, ptr %v52
  %v247 = load i64, ptr %v48
  %v248 = load i64, ptr %v68
  %v249 = inttoptr i64 %v248 to ptr
  %v250 = getelementptr i64, ptr %v249, i64 9
  %v251 = load i64, ptr %v250
  %v252 = mul i64 %v251, 8
  %v253 = add i64 %v247, %v252
  store i64 %v253, ptr %v48
  %v254 = load i64, ptr %v51
  %v255 = load i64, ptr %v75
  %v256 = add i64 2, %v255
  %v257 = mul i64 %v256, 8
  %v258 = add i64 %v254, %v257
  store i64 %v258, ptr %v51
  br label %step58
step58:
  %v259 = add i64 %v61, 1
  store i64 %v259, ptr %v60
  br label %head56
done59:
  %v260 = load i64, ptr %v53
  ret i64 %v260
}
define internal i64 @nbgrad.runtime.sheet_paste.has_room(i64 %sheet, i64 %rule) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v5 = alloca i64
  %v9 = alloca i64
  %v10 = alloca i64
  %v11 = alloca i64
  %v12 = alloca i64
  %v71 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %rule, ptr %v1
  %v2 = inttoptr i64 %sheet to ptr
  %v3 = getelementptr i64, ptr %v2, i64 6
  %v4 = load i64, ptr %v3
  store i64 %v4, ptr %v5
  %v6 = inttoptr i64 %rule to ptr
  %v7 = getelementptr i64, ptr %v6, i64 0
  %v8 = load i64, ptr %v7
  store i64 %v8, ptr %v9
  store i64 0, ptr %v10
  store i64 0, ptr %v11
  store i64 0, ptr %v12
  %v16 = icmp ne i64 %v8, 0
  br i1 %v16, label %then13, label %else14
then13:
  %v17 = load i64, ptr %v9
  %v18 = inttoptr i64 %v17 to ptr
  %v19 = getelementptr i64, ptr %v18, i64 12
  %v20 = load i64, ptr %v19
  store i64 %v20, ptr %v10
  %v21 = getelementptr i64, ptr %v18, i64 11
  %v22 = load i64, ptr %v21
  store i64 %v22, ptr %v11
  %v23 = getelementptr i64, ptr %v18, i64 9
  %v24 = load i64, ptr %v23
  store i64 %v24, ptr %v12
  br label %done15
else14:
  br label %done15
done15:
  %v26 = load i64, ptr %v0
  %v27 = inttoptr i64 %v26 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 19
  %v29 = load i64, ptr %v28
  %v30 = load i64, ptr %v10
  %v31 = add i64 %v29, %v30
  %v32 = load i64, ptr %v5
  %v33 = mul i64 4, %v32
  %v34 = icmp slt i64 %v31, %v33
  br i1 %v34, label %next35, label %known25
next35:
  %v36 = load i64, ptr %v0
  %v37 = inttoptr i64 %v36 to ptr
  %v38 = getelementptr i64, ptr %v37, i64 21
  %v39 = load i64, ptr %v38
  %v40 = load i64, ptr %v11
  %v41 = add i64 %v39, %v40
  %v42 = add i64 %v41, 2
  %v43 = load i64, ptr %v5
  %v44 = mul i64 16, %v43
  %v45 = icmp slt i64 %v42, %v44
  br i1 %v45, label %next46, label %known25
next46:
  %v47 = load i64, ptr %v0
  %v48 = inttoptr i64 %v47 to ptr
  %v49 = getelementptr i64, ptr %v48, i64 24
  %v50 = load i64, ptr %v49
  %v51 = load i64, ptr %v12
  %v52 = add i64 %v50, %v51
  %v53 = load i64, ptr %v5
  %v54 = mul i64 2, %v53
  %v55 = icmp slt i64 %v52, %v54
  br i1 %v55, label %next56, label %known25
next56:
  %v57 = load i64, ptr %v0
  %v58 = inttoptr i64 %v57 to ptr
  %v59 = getelementptr i64, ptr %v58, i64 23
  %v60 = load i64, ptr %v59
  %v61 = load i64, ptr %v1
  %v62 = inttoptr i64 %v61 to ptr
  %v63 = getelementptr i64, ptr %v62, i64 3
  %v64 = load i64, ptr %v63
  %v65 = add i64 %v60, %v64
  %v66 = load i64, ptr %v5
  %v67 = mul i64 2, %v66
  %v68 = icmp slt i64 %v65, %v67
  br label %known25
known25:
  %v69 = phi i1 [ false, %done15 ], [ false, %next35 ], [ false, %next46 ], [ %v68, %next56 ]
  %v70 = zext i1 %v69 to i64
  store i64 %v70, ptr %v71
  ret i64 %v70
}
define internal {i64, i64} @nbgrad.runtime.sheet_paste.gather(i64 %sheet, i64 %line, i64 %operands, i64 %number, i64 %slots, i64 %numbers) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v5 = alloca i64
  %v9 = alloca i64
  %v10 = alloca i64
  %v11 = alloca i64
  %v16 = alloca i64
  %v19 = alloca i64
  %v25 = alloca i64
  %v35 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %line, ptr %v1
  store i64 %operands, ptr %v2
  store i64 %number, ptr %v3
  store i64 %slots, ptr %v4
  store i64 %numbers, ptr %v5
  %v6 = inttoptr i64 %sheet to ptr
  %v7 = getelementptr i64, ptr %v6, i64 7
  %v8 = load i64, ptr %v7
  store i64 %v8, ptr %v9
  store i64 0, ptr %v10
  store i64 0, ptr %v11
  store i64 0, ptr %v16
  br label %head12
head12:
  %v17 = load i64, ptr %v16
  %v18 = icmp slt i64 %v17, %operands
  br i1 %v18, label %body13, label %done15
body13:
  store i64 %v17, ptr %v19
  %v20 = load i64, ptr %v1
  %v21 = add i64 2, %v17
  %v22 = inttoptr i64 %v20 to ptr
  %v23 = getelementptr i64, ptr %v22, i64 %v21
  %v24 = load i64, ptr %v23
  store i64 %v24, ptr %v25
  %v29 = icmp sge i64 %v24, 0
  br i1 %v29, label %then26, label %else27
then26:
  %v30 = load i64, ptr %v9
  %v31 = load i64, ptr %v25
  %v32 = mul i64 %v31, 8
  %v33 = mul i64 %v32, 8
  %v34 = add i64 %v30, %v33
  store i64 %v34, ptr %v35
  %v36 = load i64, ptr %v4
  %v37 = load i64, ptr %v10
  %v38 = inttoptr i64 %v34 to ptr
  %v39 = getelementptr i64, ptr %v38, i64 1
  %v40 = load i64, ptr %v39
  %v41 = inttoptr i64 %v36 to ptr
  %v42 = getelementptr i64, ptr %v41, i64 %v37
  store i64 %v40, ptr %v42
  %v43 = add i64 %v37, 1
  store i64 %v43, ptr %v10
  %v44 = load i64, ptr %v0
  %v45 = load i64, ptr %v5
  %v46 = load i64, ptr %v11
  %v47 = call i64 @nbgrad.runtime.sheet_paste.copy_starts(i64 %v44, i64 %v34, i64 %v45, i64 %v46)
  store i64 %v47, ptr %v11
  br label %done28
else27:
  %v51 = load i64, ptr %v25
  %v52 = icmp sge i64 %v51, -3
  br i1 %v52, label %then48, label %else49
then48:
  %v53 = load i64, ptr %v5
  %v54 = load i64, ptr %v11
  %v55 = load i64, ptr %v3
  %v56 = inttoptr i64 %v53 to ptr
  %v57 = getelementptr i64, ptr %v56, i64 %v54
  store i64 %v55, ptr %v57
  %v58 = add i64 %v54, 1
  store i64 %v58, ptr %v11
  %v59 = add i64 %v55, 1
  store i64 %v59, ptr %v3
  br label %done50
else49:
  br label %done50
done50:
  br label %done28
done28:
  br label %step14
step14:
  %v60 = add i64 %v17, 1
  store i64 %v60, ptr %v16
  br label %head12
done15:
  %v61 = load i64, ptr %v10
  %v62 = insertvalue {i64, i64} undef, i64 %v61, 0
  %v63 = load i64, ptr %v11
  %v64 = insertvalue {i64, i64} %v62, i64 %v63, 1
  ret {i64, i64} %v64
}
define internal i64 @nbgrad.runtime.sheet_paste.paste(i64 %sheet, i64 %stamp, i64 %slots, i64 %numbers) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v7 = alloca i64
  %v17 = alloca i64
  %v22 = alloca i64
  %v27 = alloca i64
  %v30 = alloca i64
  %v36 = alloca i64
  %v56 = alloca i64
  %v59 = alloca i64
  %v64 = alloca i64
  %v73 = alloca i64
  %v99 = alloca i64
  %v104 = alloca i64
  %v110 = alloca i64
  %v113 = alloca i64
  %v118 = alloca i64
  %v121 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %stamp, ptr %v1
  store i64 %slots, ptr %v2
  store i64 %numbers, ptr %v3
  %v4 = inttoptr i64 %sheet to ptr
  %v5 = getelementptr i64, ptr %v4, i64 19
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v11 = icmp eq i64 %stamp, 0
  br i1 %v11, label %then8, label %else9
then8:
  %v12 = load i64, ptr %v7
  ret i64 %v12
else9:
  br label %done10
done10:
  %v13 = load i64, ptr %v1
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr i64, ptr %v14, i64 12
  %v16 = load i64, ptr %v15
  store i64 %v16, ptr %v17
  %v18 = load i64, ptr %v0
  %v19 = inttoptr i64 %v18 to ptr
  %v20 = getelementptr i64, ptr %v19, i64 12
  %v21 = load i64, ptr %v20
  store i64 %v21, ptr %v22
  store i64 0, ptr %v27
  br label %head23
head23:
  %v28 = load i64, ptr %v27
  %v29 = icmp slt i64 %v28, %v16
  br i1 %v29, label %body24, label %done26
body24:
  store i64 %v28, ptr %v30
  %v31 = load i64, ptr %v1
  %v32 = add i64 13, %v28
  %v33 = inttoptr i64 %v31 to ptr
  %v34 = getelementptr i64, ptr %v33, i64 %v32
  %v35 = load i64, ptr %v34
  store i64 %v35, ptr %v36
  %v37 = load i64, ptr %v22
  %v38 = load i64, ptr %v7
  %v39 = add i64 %v38, %v28
  %v40 = inttoptr i64 %v37 to ptr
  %v41 = getelementptr i64, ptr %v40, i64 %v39
  store i64 %v35, ptr %v41
  %v42 = load i64, ptr %v0
  %v43 = inttoptr i64 %v42 to ptr
  %v44 = getelementptr i64, ptr %v43, i64 20
  %v45 = load i64, ptr %v44
  %v46 = add i64 %v45, %v35
  store i64 %v46, ptr %v44
  br label %step25
step25:
  %v47 = add i64 %v28, 1
  store i64 %v47, ptr %v27
  br label %head23
done26:
  %v48 = load i64, ptr %v0
  %v49 = load i64, ptr %v7
  %v50 = load i64, ptr %v17
  %v51 = add i64 %v49, %v50
  %v52 = inttoptr i64 %v48 to ptr
  %v53 = getelementptr i64, ptr %v52, i64 19
  store i64 %v51, ptr %v53
  %v54 = getelementptr i64, ptr %v52, i64 21
  %v55 = load i64, ptr %v54
  store i64 %v55, ptr %v56
  %v57 = getelementptr i64, ptr %v52, i64 13
  %v58 = load i64, ptr %v57
  store i64 %v58, ptr %v59
  %v60 = load i64, ptr %v1
  %v61 = inttoptr i64 %v60 to ptr
  %v62 = getelementptr i64, ptr %v61, i64 11
  %v63 = load i64, ptr %v62
  store i64 %v63, ptr %v64
  %v65 = inttoptr i64 %v58 to ptr
  %v66 = getelementptr i64, ptr %v65, i64 %v55
  store i64 %v60, ptr %v66
  %v67 = add i64 %v55, 1
  %v68 = getelementptr i64, ptr %v65, i64 %v67
  store i64 %v49, ptr %v68
  store i64 0, ptr %v73
  br label %head69
head69:
  %v74 = load i64, ptr %v73
  %v75 = icmp slt i64 %v74, %v63
  br i1 %v75, label %body70, label %done72
body70:
  store i64 %v74, ptr %v30
  %v76 = load i64, ptr %v59
  %v77 = load i64, ptr %v56
  %v78 = add i64 %v77, 2
  %v79 = add i64 %v78, %v74
  %v80 = load i64, ptr %v2
  %v81 = inttoptr i64 %v80 to ptr
  %v82 = getelementptr i64, ptr %v81, i64 %v74
  %v83 = load i64, ptr %v82
  %v84 = inttoptr i64 %v76 to ptr
  %v85 = getelementptr i64, ptr %v84, i64 %v79
  store i64 %v83, ptr %v85
  br label %step71
step71:
  %v86 = add i64 %v74, 1
  store i64 %v86, ptr %v73
  br label %head69
done72:
  %v87 = load i64, ptr %v0
  %v88 = load i64, ptr %v56
  %v89 = add i64 %v88, 2
  %v90 = load i64, ptr %v64
  %v91 = add i64 %v89, %v90
  %v92 = inttoptr i64 %v87 to ptr
  %v93 = getelementptr i64, ptr %v92, i64 21
  store i64 %v91, ptr %v93
  %v94 = getelementptr i64, ptr %v92, i64 22
  %v95 = load i64, ptr %v94
  %v96 = add i64 %v95, 1
  store i64 %v96, ptr %v94
  %v97 = getelementptr i64, ptr %v92, i64 24
  %v98 = load i64, ptr %v97
  store i64 %v98, ptr %v99
  %v100 = load i64, ptr %v1
  %v101 = inttoptr i64 %v100 to ptr
  %v102 = getelementptr i64, ptr %v101, i64 8
  %v103 = load i64, ptr %v102
  store i64 %v103, ptr %v104
  %v105 = getelementptr i64, ptr %v92, i64 15
  %v106 = load i64, ptr %v105
  %v107 = mul i64 %v98, 2
  %v108 = mul i64 %v107, 8
  %v109 = add i64 %v106, %v108
  store i64 %v109, ptr %v110
  %v111 = getelementptr i64, ptr %v101, i64 9
  %v112 = load i64, ptr %v111
  store i64 %v112, ptr %v113
  store i64 0, ptr %v118
  br label %head114
head114:
  %v119 = load i64, ptr %v118
  %v120 = icmp slt i64 %v119, %v112
  br i1 %v120, label %body115, label %done117
body115:
  store i64 %v119, ptr %v121
  %v122 = load i64, ptr %v110
  %v123 = load i64, ptr %v3
  %v124 = load i64, ptr %v104
  %v125 = inttoptr i64 %v124 to ptr
  %v126 = getelementptr i64, ptr %v125, i64 0
  %v127 = load i64, ptr %v126
  %v128 = inttoptr i64 %v123 to ptr
  %v129 = getelementptr i64, ptr %v128, i64 %v127
  %v130 = load i64, ptr %v129
  %v131 = inttoptr i64 %v122 to ptr
  %v132 = getelementptr i64, ptr %v131, i64 0
  store i64 %v130, ptr %v132
  %v133 = getelementptr i64, ptr %v125, i64 1
  %v134 = load i64, ptr %v133
  %v135 = getelementptr i64, ptr %v131, i64 1
  store i64 %v134, ptr %v135
  %v136 = mul i64 2, 8
  %v137 = add i64 %v124, %v136
  store i64 %v137, ptr %v104
  %v138 = mul i64 2, 8
  %v139 = add i64 %v122, %v138
  store i64 %v139, ptr %v110
  br label %step116
step116:
  %v140 = add i64 %v119, 1
  store i64 %v140, ptr %v118
  br label %head114
done117:
  %v141 = load i64, ptr %v0
  %v142 = load i64, ptr %v99
  %v143 = load i64, ptr %v113
  %v144 = add i64 %v142, %v143
  %v145 = inttoptr i64 %v141 to ptr
  %v146 = getelementptr i64, ptr %v145, i64 24
  store i64 %v144, ptr %v146
  %v147 = getelementptr i64, ptr %v145, i64 26
  %v148 = load i64, ptr %v147
  %v149 = load i64, ptr %v1
  %v150 = inttoptr i64 %v149 to ptr
  %v151 = getelementptr i64, ptr %v150, i64 1
  %v152 = load i64, ptr %v151
  %v153 = add i64 %v148, %v152
  store i64 %v153, ptr %v147
  %v154 = getelementptr i64, ptr %v145, i64 27
  %v155 = load i64, ptr %v154
  %v156 = getelementptr i64, ptr %v150, i64 3
  %v157 = load i64, ptr %v156
  %v158 = add i64 %v155, %v157
  store i64 %v158, ptr %v154
  %v159 = getelementptr i64, ptr %v145, i64 28
  %v160 = load i64, ptr %v159
  %v161 = getelementptr i64, ptr %v150, i64 10
  %v162 = load i64, ptr %v161
  %v163 = icmp sgt i64 %v160, %v162
  %v164 = select i1 %v163, i64 %v160, i64 %v162
  store i64 %v164, ptr %v159
  %v165 = load i64, ptr %v7
  ret i64 %v165
}
define internal i64 @nbgrad.runtime.sheet_paste.locate(i64 %sheet, i64 %result, i64 %first, i64 %slots, i64 %numbers, i64 %value) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v5 = alloca i64
  %v7 = alloca i64
  %v41 = alloca i64
  %v46 = alloca i64
  %v49 = alloca i64
  %v54 = alloca i64
  %v57 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %result, ptr %v1
  store i64 %first, ptr %v2
  store i64 %slots, ptr %v3
  store i64 %numbers, ptr %v4
  store i64 %value, ptr %v5
  %v6 = sub i64 0, 1
  store i64 %v6, ptr %v7
  %v11 = inttoptr i64 %result to ptr
  %v12 = getelementptr i64, ptr %v11, i64 1
  %v13 = load i64, ptr %v12
  %v14 = icmp sge i64 %v13, 0
  br i1 %v14, label %then8, label %else9
then8:
  %v15 = load i64, ptr %v2
  %v16 = load i64, ptr %v1
  %v17 = inttoptr i64 %v16 to ptr
  %v18 = getelementptr i64, ptr %v17, i64 1
  %v19 = load i64, ptr %v18
  %v20 = add i64 %v15, %v19
  store i64 %v20, ptr %v7
  br label %done10
else9:
  %v24 = load i64, ptr %v1
  %v25 = inttoptr i64 %v24 to ptr
  %v26 = getelementptr i64, ptr %v25, i64 2
  %v27 = load i64, ptr %v26
  %v28 = icmp sge i64 %v27, 0
  br i1 %v28, label %then21, label %else22
then21:
  %v29 = load i64, ptr %v3
  %v30 = load i64, ptr %v1
  %v31 = inttoptr i64 %v30 to ptr
  %v32 = getelementptr i64, ptr %v31, i64 2
  %v33 = load i64, ptr %v32
  %v34 = inttoptr i64 %v29 to ptr
  %v35 = getelementptr i64, ptr %v34, i64 %v33
  %v36 = load i64, ptr %v35
  store i64 %v36, ptr %v7
  br label %done23
else22:
  br label %done23
done23:
  br label %done10
done10:
  %v37 = load i64, ptr %v1
  %v38 = inttoptr i64 %v37 to ptr
  %v39 = getelementptr i64, ptr %v38, i64 3
  %v40 = load i64, ptr %v39
  store i64 %v40, ptr %v41
  %v42 = load i64, ptr %v0
  %v43 = inttoptr i64 %v42 to ptr
  %v44 = getelementptr i64, ptr %v43, i64 23
  %v45 = load i64, ptr %v44
  store i64 %v45, ptr %v46
  %v47 = getelementptr i64, ptr %v43, i64 14
  %v48 = load i64, ptr %v47
  store i64 %v48, ptr %v49
  store i64 0, ptr %v54
  br label %head50
head50:
  %v55 = load i64, ptr %v54
  %v56 = icmp slt i64 %v55, %v40
  br i1 %v56, label %body51, label %done53
body51:
  store i64 %v55, ptr %v57
  %v58 = load i64, ptr %v49
  %v59 = load i64, ptr %v46
  %v60 = add i64 %v59, %v55
  %v61 = load i64, ptr %v4
  %v62 = load i64, ptr %v1
  %v63 = add i64 4, %v55
  %v64 = inttoptr i64 %v62 to ptr
  %v65 = getelementptr i64, ptr %v64, i64 %v63
  %v66 = load i64, ptr %v65
  %v67 = inttoptr i64 %v61 to ptr
  %v68 = getelementptr i64, ptr %v67, i64 %v66
  %v69 = load i64, ptr %v68
  %v70 = inttoptr i64 %v58 to ptr
  %v71 = getelementptr i64, ptr %v70, i64 %v60
  store i64 %v69, ptr %v71
  br label %step52
step52:
  %v72 = add i64 %v55, 1
  store i64 %v72, ptr %v54
  br label %head50
done53:
  %v73 = load i64, ptr %v0
  %v74 = load i64, ptr %v46
  %v75 = load i64, ptr %v41
  %v76 = add i64 %v74, %v75
  %v77 = inttoptr i64 %v73 to ptr
  %v78 = getelementptr i64, ptr %v77, i64 23
  store i64 %v76, ptr %v78
  %v79 = load i64, ptr %v5
  %v80 = load i64, ptr %v1
  %v81 = inttoptr i64 %v80 to ptr
  %v82 = getelementptr i64, ptr %v81, i64 0
  %v83 = load i64, ptr %v82
  %v84 = inttoptr i64 %v79 to ptr
  %v85 = getelementptr i64, ptr %v84, i64 0
  store i64 %v83, ptr %v85
  %v86 = load i64, ptr %v7
  %v87 = getelementptr i64, ptr %v84, i64 1
  store i64 %v86, ptr %v87
  %v88 = getelementptr i64, ptr %v84, i64 2
  store i64 %v74, ptr %v88
  %v89 = getelementptr i64, ptr %v84, i64 3
  store i64 %v75, ptr %v89
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_derive.pull_back_call(i64 %sheet, i64 %value, i64 %line, i64 %g) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v7 = alloca i64
  %v10 = alloca i64
  %v13 = alloca i64
  %v16 = alloca i64
  %v19 = alloca i64
  %v28 = alloca i64
  %v32 = alloca i64
  %v50 = alloca i64
  %v55 = alloca i64
  %v59 = alloca i64
  %v68 = alloca i64
  %v70 = alloca i64
  %v91 = alloca i64
  %v96 = alloca i64
  %v99 = alloca i64
  %v105 = alloca i64
  %v115 = alloca i64
  %v119 = alloca i64
  %v145 = alloca i64
  %v186 = alloca i64
  %v211 = alloca i64
  %v214 = alloca i64
  %v220 = alloca i64
  %v223 = alloca i64
  %v253 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %value, ptr %v1
  store i64 %line, ptr %v2
  store i64 %g, ptr %v3
  %v4 = inttoptr i64 %sheet to ptr
  %v5 = getelementptr i64, ptr %v4, i64 7
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v4, i64 8
  %v9 = load i64, ptr %v8
  store i64 %v9, ptr %v10
  %v11 = getelementptr i64, ptr %v4, i64 10
  %v12 = load i64, ptr %v11
  store i64 %v12, ptr %v13
  %v14 = getelementptr i64, ptr %v4, i64 30
  %v15 = load i64, ptr %v14
  store i64 %v15, ptr %v16
  %v17 = getelementptr i64, ptr %v4, i64 6
  %v18 = load i64, ptr %v17
  store i64 %v18, ptr %v19
  %v20 = getelementptr i64, ptr %v4, i64 3
  %v21 = load i64, ptr %v20
  %v22 = inttoptr i64 %line to ptr
  %v23 = getelementptr i64, ptr %v22, i64 0
  %v24 = load i64, ptr %v23
  %v25 = inttoptr i64 %v21 to ptr
  %v26 = getelementptr i64, ptr %v25, i64 %v24
  %v27 = load i64, ptr %v26
  store i64 %v27, ptr %v28
  %v29 = inttoptr i64 %v27 to ptr
  %v30 = getelementptr i64, ptr %v29, i64 1
  %v31 = load i64, ptr %v30
  store i64 %v31, ptr %v32
  %v36 = mul i64 2, %v31
  %v37 = add i64 %v36, 4
  %v38 = getelementptr i64, ptr %v29, i64 2
  %v39 = load i64, ptr %v38
  %v40 = add i64 %v37, %v39
  %v41 = getelementptr i64, ptr %v4, i64 23
  %v42 = load i64, ptr %v41
  %v43 = add i64 %v40, %v42
  %v44 = mul i64 4, %v18
  %v45 = icmp sgt i64 %v43, %v44
  br i1 %v45, label %then33, label %else34
then33:
  ret i64 1
else34:
  br label %done35
done35:
  %v46 = load i64, ptr %v0
  %v47 = inttoptr i64 %v46 to ptr
  %v48 = getelementptr i64, ptr %v47, i64 16
  %v49 = load i64, ptr %v48
  store i64 %v49, ptr %v50
  %v51 = load i64, ptr %v19
  %v52 = mul i64 4, %v51
  %v53 = mul i64 %v52, 8
  %v54 = add i64 %v49, %v53
  store i64 %v54, ptr %v55
  %v56 = mul i64 4, %v51
  %v57 = mul i64 %v56, 8
  %v58 = add i64 %v54, %v57
  store i64 %v58, ptr %v59
  %v60 = load i64, ptr %v2
  %v61 = load i64, ptr %v32
  %v62 = load i64, ptr %v1
  %v63 = inttoptr i64 %v62 to ptr
  %v64 = getelementptr i64, ptr %v63, i64 7
  %v65 = load i64, ptr %v64
  %v66 = call {i64, i64} @nbgrad.runtime.sheet_paste.gather(i64 %v46, i64 %v60, i64 %v61, i64 %v65, i64 %v49, i64 %v54)
  %v67 = extractvalue {i64, i64} %v66, 0
  store i64 %v67, ptr %v68
  %v69 = extractvalue {i64, i64} %v66, 1
  store i64 %v69, ptr %v70
  %v71 = getelementptr i64, ptr %v63, i64 1
  %v72 = load i64, ptr %v71
  %v73 = inttoptr i64 %v49 to ptr
  %v74 = getelementptr i64, ptr %v73, i64 %v67
  store i64 %v72, ptr %v74
  %v75 = add i64 %v67, 1
  %v76 = load i64, ptr %v3
  %v77 = inttoptr i64 %v76 to ptr
  %v78 = getelementptr i64, ptr %v77, i64 1
  %v79 = load i64, ptr %v78
  %v80 = getelementptr i64, ptr %v73, i64 %v75
  store i64 %v79, ptr %v80
  %v81 = add i64 %v67, 2
  store i64 %v81, ptr %v68
  %v82 = call i64 @nbgrad.runtime.sheet_paste.copy_starts(i64 %v46, i64 %v76, i64 %v54, i64 %v69)
  store i64 %v82, ptr %v70
  %v83 = inttoptr i64 %v60 to ptr
  %v84 = getelementptr i64, ptr %v83, i64 0
  %v85 = load i64, ptr %v84
  %v86 = inttoptr i64 %v58 to ptr
  %v87 = getelementptr i64, ptr %v86, i64 0
  store i64 %v85, ptr %v87
  %v88 = getelementptr i64, ptr %v77, i64 0
  %v89 = load i64, ptr %v88
  %v90 = getelementptr i64, ptr %v86, i64 1
  store i64 %v89, ptr %v90
  store i64 2, ptr %v91
  store i64 0, ptr %v96
  br label %head92
head92:
  %v97 = load i64, ptr %v96
  %v98 = icmp slt i64 %v97, %v61
  br i1 %v98, label %body93, label %done95
body93:
  store i64 %v97, ptr %v99
  %v100 = load i64, ptr %v2
  %v101 = add i64 2, %v97
  %v102 = inttoptr i64 %v100 to ptr
  %v103 = getelementptr i64, ptr %v102, i64 %v101
  %v104 = load i64, ptr %v103
  store i64 %v104, ptr %v105
  %v109 = icmp sge i64 %v104, 0
  br i1 %v109, label %then106, label %else107
then106:
  %v110 = load i64, ptr %v7
  %v111 = load i64, ptr %v105
  %v112 = mul i64 %v111, 8
  %v113 = mul i64 %v112, 8
  %v114 = add i64 %v110, %v113
  store i64 %v114, ptr %v115
  %v116 = inttoptr i64 %v114 to ptr
  %v117 = getelementptr i64, ptr %v116, i64 4
  %v118 = load i64, ptr %v117
  store i64 %v118, ptr %v119
  %v124 = getelementptr i64, ptr %v116, i64 5
  %v125 = load i64, ptr %v124
  %v126 = icmp ne i64 %v125, 0
  br i1 %v126, label %next127, label %known123
next127:
  %v129 = load i64, ptr %v16
  %v130 = icmp eq i64 %v129, 0
  br i1 %v130, label %known128, label %next131
next131:
  %v132 = load i64, ptr %v13
  %v133 = load i64, ptr %v119
  %v134 = inttoptr i64 %v132 to ptr
  %v135 = getelementptr i64, ptr %v134, i64 %v133
  %v136 = load i64, ptr %v135
  %v137 = icmp ne i64 %v136, 0
  br label %known128
known128:
  %v138 = phi i1 [ true, %next127 ], [ %v137, %next131 ]
  br label %known123
known123:
  %v139 = phi i1 [ false, %then106 ], [ %v138, %known128 ]
  br i1 %v139, label %then120, label %else121
then120:
  %v140 = load i64, ptr %v10
  %v141 = load i64, ptr %v119
  %v142 = mul i64 %v141, 4
  %v143 = mul i64 %v142, 8
  %v144 = add i64 %v140, %v143
  store i64 %v144, ptr %v145
  %v146 = load i64, ptr %v59
  %v147 = load i64, ptr %v91
  %v148 = load i64, ptr %v99
  %v149 = inttoptr i64 %v146 to ptr
  %v150 = getelementptr i64, ptr %v149, i64 %v147
  store i64 %v148, ptr %v150
  %v151 = add i64 %v147, 1
  %v152 = inttoptr i64 %v144 to ptr
  %v153 = getelementptr i64, ptr %v152, i64 0
  %v154 = load i64, ptr %v153
  %v155 = getelementptr i64, ptr %v149, i64 %v151
  store i64 %v154, ptr %v155
  %v156 = add i64 %v147, 2
  store i64 %v156, ptr %v91
  %v160 = load i64, ptr %v153
  %v161 = icmp sge i64 %v160, 0
  br i1 %v161, label %then157, label %else158
then157:
  %v162 = load i64, ptr %v50
  %v163 = load i64, ptr %v68
  %v164 = load i64, ptr %v145
  %v165 = inttoptr i64 %v164 to ptr
  %v166 = getelementptr i64, ptr %v165, i64 1
  %v167 = load i64, ptr %v166
  %v168 = inttoptr i64 %v162 to ptr
  %v169 = getelementptr i64, ptr %v168, i64 %v163
  store i64 %v167, ptr %v169
  %v170 = load i64, ptr %v0
  %v171 = load i64, ptr %v55
  %v172 = load i64, ptr %v70
  %v173 = call i64 @nbgrad.runtime.sheet_paste.copy_starts(i64 %v170, i64 %v164, i64 %v171, i64 %v172)
  store i64 %v173, ptr %v70
  br label %done159
else158:
  %v174 = load i64, ptr %v50
  %v175 = load i64, ptr %v68
  %v176 = sub i64 0, 1
  %v177 = inttoptr i64 %v174 to ptr
  %v178 = getelementptr i64, ptr %v177, i64 %v175
  store i64 %v176, ptr %v178
  br label %done159
done159:
  %v179 = load i64, ptr %v68
  %v180 = add i64 %v179, 1
  store i64 %v180, ptr %v68
  br label %done122
else121:
  br label %done122
done122:
  br label %done108
else107:
  br label %done108
done108:
  br label %step94
step94:
  %v181 = add i64 %v97, 1
  store i64 %v181, ptr %v96
  br label %head92
done95:
  %v182 = load i64, ptr %v0
  %v183 = load i64, ptr %v59
  %v184 = load i64, ptr %v91
  %v185 = call i64 @nbgrad.runtime.sheet_derive.find_rule(i64 %v182, i64 %v183, i64 %v184)
  store i64 %v185, ptr %v186
  %v190 = icmp eq i64 %v185, 0
  br i1 %v190, label %then187, label %else188
then187:
  %v191 = load i64, ptr %v0
  %v192 = load i64, ptr %v91
  %v193 = inttoptr i64 %v191 to ptr
  %v194 = getelementptr i64, ptr %v193, i64 36
  store i64 %v192, ptr %v194
  ret i64 2
else188:
  br label %done189
done189:
  %v198 = load i64, ptr %v0
  %v199 = load i64, ptr %v186
  %v200 = call i64 @nbgrad.runtime.sheet_paste.has_room(i64 %v198, i64 %v199)
  %v201 = icmp ne i64 %v200, 0
  %v202 = xor i1 %v201, true
  br i1 %v202, label %then195, label %else196
then195:
  ret i64 1
else196:
  br label %done197
done197:
  %v203 = load i64, ptr %v0
  %v204 = load i64, ptr %v186
  %v205 = inttoptr i64 %v204 to ptr
  %v206 = getelementptr i64, ptr %v205, i64 0
  %v207 = load i64, ptr %v206
  %v208 = load i64, ptr %v50
  %v209 = load i64, ptr %v55
  %v210 = call i64 @nbgrad.runtime.sheet_paste.paste(i64 %v203, i64 %v207, i64 %v208, i64 %v209)
  store i64 %v210, ptr %v211
  %v212 = mul i64 5, 8
  %v213 = add i64 %v204, %v212
  store i64 %v213, ptr %v214
  %v215 = load i64, ptr %v91
  store i64 2, ptr %v220
  br label %head216
head216:
  %v221 = load i64, ptr %v220
  %v222 = icmp slt i64 %v221, %v215
  br i1 %v222, label %body217, label %done219
body217:
  store i64 %v221, ptr %v223
  %v224 = load i64, ptr %v7
  %v225 = load i64, ptr %v2
  %v226 = load i64, ptr %v59
  %v227 = inttoptr i64 %v226 to ptr
  %v228 = getelementptr i64, ptr %v227, i64 %v221
  %v229 = load i64, ptr %v228
  %v230 = add i64 2, %v229
  %v231 = inttoptr i64 %v225 to ptr
  %v232 = getelementptr i64, ptr %v231, i64 %v230
  %v233 = load i64, ptr %v232
  %v234 = mul i64 %v233, 8
  %v235 = mul i64 %v234, 8
  %v236 = add i64 %v224, %v235
  store i64 %v236, ptr %v115
  %v240 = load i64, ptr %v214
  %v241 = inttoptr i64 %v240 to ptr
  %v242 = getelementptr i64, ptr %v241, i64 0
  %v243 = load i64, ptr %v242
  %v244 = icmp sge i64 %v243, 0
  br i1 %v244, label %then237, label %else238
then237:
  %v245 = load i64, ptr %v10
  %v246 = load i64, ptr %v115
  %v247 = inttoptr i64 %v246 to ptr
  %v248 = getelementptr i64, ptr %v247, i64 4
  %v249 = load i64, ptr %v248
  %v250 = mul i64 %v249, 4
  %v251 = mul i64 %v250, 8
  %v252 = add i64 %v245, %v251
  store i64 %v252, ptr %v253
  %v254 = load i64, ptr %v0
  %v255 = load i64, ptr %v214
  %v256 = load i64, ptr %v211
  %v257 = load i64, ptr %v50
  %v258 = load i64, ptr %v55
  %v259 = call i64 @nbgrad.runtime.sheet_paste.locate(i64 %v254, i64 %v255, i64 %v256, i64 %v257, i64 %v258, i64 %v252)
  br label %done239
else238:
  br label %done239
done239:
  %v260 = load i64, ptr %v214
  %v261 = inttoptr i64 %v260 to ptr
  %v262 = getelementptr i64, ptr %v261, i64 3
  %v263 = load i64, ptr %v262
  %v264 = add i64 4, %v263
  %v265 = mul i64 %v264, 8
  %v266 = add i64 %v260, %v265
  store i64 %v266, ptr %v214
  br label %step218
step218:
  %v267 = add i64 %v221, 2
  store i64 %v267, ptr %v220
  br label %head216
done219:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_place.side_by_side(i64 %sheet) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v8 = alloca i64
  %v15 = alloca i64
  %v18 = alloca i64
  store i64 %sheet, ptr %v0
  %v1 = inttoptr i64 %sheet to ptr
  %v2 = getelementptr i64, ptr %v1, i64 37
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 12
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  store i64 0, ptr %v8
  %v9 = getelementptr i64, ptr %v1, i64 19
  %v10 = load i64, ptr %v9
  store i64 0, ptr %v15
  br label %head11
head11:
  %v16 = load i64, ptr %v15
  %v17 = icmp slt i64 %v16, %v10
  br i1 %v17, label %body12, label %done14
body12:
  store i64 %v16, ptr %v18
  %v22 = load i64, ptr %v4
  %v23 = inttoptr i64 %v22 to ptr
  %v24 = getelementptr i64, ptr %v23, i64 %v16
  %v25 = load i64, ptr %v24
  %v26 = icmp eq i64 %v25, 0
  br i1 %v26, label %then19, label %else20
then19:
  %v27 = load i64, ptr %v4
  %v28 = load i64, ptr %v18
  %v29 = sub i64 0, 1
  %v30 = load i64, ptr %v8
  %v31 = sub i64 %v29, %v30
  %v32 = inttoptr i64 %v27 to ptr
  %v33 = getelementptr i64, ptr %v32, i64 %v28
  store i64 %v31, ptr %v33
  %v34 = load i64, ptr %v7
  %v35 = inttoptr i64 %v34 to ptr
  %v36 = getelementptr i64, ptr %v35, i64 %v28
  %v37 = load i64, ptr %v36
  %v38 = add i64 %v30, %v37
  store i64 %v38, ptr %v8
  br label %done21
else20:
  br label %done21
done21:
  br label %step13
step13:
  %v39 = add i64 %v16, 1
  store i64 %v39, ptr %v15
  br label %head11
done14:
  %v40 = load i64, ptr %v8
  ret i64 %v40
}
define internal i64 @nbgrad.runtime.sheet_place.find_last_readers(i64 %sheet, i64 %last) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v5 = alloca i64
  %v8 = alloca i64
  %v15 = alloca i64
  %v18 = alloca i64
  %v23 = alloca i64
  %v26 = alloca i64
  %v30 = alloca i64
  %v37 = alloca i64
  %v40 = alloca i64
  %v64 = alloca i64
  %v72 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %last, ptr %v1
  %v2 = inttoptr i64 %sheet to ptr
  %v3 = getelementptr i64, ptr %v2, i64 37
  %v4 = load i64, ptr %v3
  store i64 %v4, ptr %v5
  %v6 = getelementptr i64, ptr %v2, i64 13
  %v7 = load i64, ptr %v6
  store i64 %v7, ptr %v8
  %v9 = getelementptr i64, ptr %v2, i64 22
  %v10 = load i64, ptr %v9
  store i64 0, ptr %v15
  br label %head11
head11:
  %v16 = load i64, ptr %v15
  %v17 = icmp slt i64 %v16, %v10
  br i1 %v17, label %body12, label %done14
body12:
  store i64 %v16, ptr %v18
  %v19 = load i64, ptr %v8
  %v20 = inttoptr i64 %v19 to ptr
  %v21 = getelementptr i64, ptr %v20, i64 0
  %v22 = load i64, ptr %v21
  store i64 %v22, ptr %v23
  %v24 = getelementptr i64, ptr %v20, i64 1
  %v25 = load i64, ptr %v24
  store i64 %v25, ptr %v26
  %v27 = inttoptr i64 %v22 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 11
  %v29 = load i64, ptr %v28
  store i64 %v29, ptr %v30
  %v31 = getelementptr i64, ptr %v27, i64 12
  %v32 = load i64, ptr %v31
  store i64 0, ptr %v37
  br label %head33
head33:
  %v38 = load i64, ptr %v37
  %v39 = icmp slt i64 %v38, %v32
  br i1 %v39, label %body34, label %done36
body34:
  store i64 %v38, ptr %v40
  %v44 = load i64, ptr %v5
  %v45 = load i64, ptr %v26
  %v46 = add i64 %v45, %v38
  %v47 = inttoptr i64 %v44 to ptr
  %v48 = getelementptr i64, ptr %v47, i64 %v46
  %v49 = load i64, ptr %v48
  %v50 = icmp eq i64 %v49, 0
  br i1 %v50, label %then41, label %else42
then41:
  %v51 = load i64, ptr %v1
  %v52 = load i64, ptr %v26
  %v53 = load i64, ptr %v40
  %v54 = add i64 %v52, %v53
  %v55 = load i64, ptr %v18
  %v56 = inttoptr i64 %v51 to ptr
  %v57 = getelementptr i64, ptr %v56, i64 %v54
  store i64 %v55, ptr %v57
  br label %done43
else42:
  br label %done43
done43:
  br label %step35
step35:
  %v58 = add i64 %v38, 1
  store i64 %v58, ptr %v37
  br label %head33
done36:
  %v59 = load i64, ptr %v30
  store i64 0, ptr %v64
  br label %head60
head60:
  %v65 = load i64, ptr %v64
  %v66 = icmp slt i64 %v65, %v59
  br i1 %v66, label %body61, label %done63
body61:
  store i64 %v65, ptr %v40
  %v67 = load i64, ptr %v8
  %v68 = add i64 2, %v65
  %v69 = inttoptr i64 %v67 to ptr
  %v70 = getelementptr i64, ptr %v69, i64 %v68
  %v71 = load i64, ptr %v70
  store i64 %v71, ptr %v72
  %v77 = icmp sge i64 %v71, 0
  br i1 %v77, label %next78, label %known76
next78:
  %v79 = load i64, ptr %v5
  %v80 = load i64, ptr %v72
  %v81 = inttoptr i64 %v79 to ptr
  %v82 = getelementptr i64, ptr %v81, i64 %v80
  %v83 = load i64, ptr %v82
  %v84 = icmp eq i64 %v83, 0
  br label %known76
known76:
  %v85 = phi i1 [ false, %body61 ], [ %v84, %next78 ]
  br i1 %v85, label %then73, label %else74
then73:
  %v86 = load i64, ptr %v1
  %v87 = load i64, ptr %v72
  %v88 = load i64, ptr %v18
  %v89 = inttoptr i64 %v86 to ptr
  %v90 = getelementptr i64, ptr %v89, i64 %v87
  store i64 %v88, ptr %v90
  br label %done75
else74:
  br label %done75
done75:
  br label %step62
step62:
  %v91 = add i64 %v65, 1
  store i64 %v91, ptr %v64
  br label %head60
done63:
  %v92 = load i64, ptr %v8
  %v93 = load i64, ptr %v30
  %v94 = add i64 2, %v93
  %v95 = mul i64 %v94, 8
  %v96 = add i64 %v92, %v95
  store i64 %v96, ptr %v8
  br label %step13
step13:
  %v97 = add i64 %v16, 1
  store i64 %v97, ptr %v15
  br label %head11
done14:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_place.taken(i64 %lists, i64 %following, i64 %sizes, i64 %size) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v9 = alloca i64
  %v58 = alloca i64
  store i64 %lists, ptr %v0
  store i64 %following, ptr %v1
  store i64 %sizes, ptr %v2
  store i64 %size, ptr %v3
  store i64 -1, ptr %v4
  %v5 = call i64 @nbgrad.runtime.sheet_place.list_of(i64 %size)
  %v6 = inttoptr i64 %lists to ptr
  %v7 = getelementptr i64, ptr %v6, i64 %v5
  %v8 = load i64, ptr %v7
  store i64 %v8, ptr %v9
  br label %head10
head10:
  %v14 = load i64, ptr %v9
  %v15 = icmp ne i64 %v14, -1
  br i1 %v15, label %next16, label %known13
next16:
  %v17 = load i64, ptr %v2
  %v18 = load i64, ptr %v9
  %v19 = inttoptr i64 %v17 to ptr
  %v20 = getelementptr i64, ptr %v19, i64 %v18
  %v21 = load i64, ptr %v20
  %v22 = load i64, ptr %v3
  %v23 = icmp ne i64 %v21, %v22
  br label %known13
known13:
  %v24 = phi i1 [ false, %head10 ], [ %v23, %next16 ]
  br i1 %v24, label %body11, label %done12
body11:
  %v25 = load i64, ptr %v9
  store i64 %v25, ptr %v4
  %v26 = load i64, ptr %v1
  %v27 = inttoptr i64 %v26 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 %v25
  %v29 = load i64, ptr %v28
  store i64 %v29, ptr %v9
  br label %head10
done12:
  %v33 = load i64, ptr %v9
  %v34 = icmp ne i64 %v33, -1
  br i1 %v34, label %then30, label %else31
then30:
  %v38 = load i64, ptr %v4
  %v39 = icmp eq i64 %v38, -1
  br i1 %v39, label %then35, label %else36
then35:
  %v40 = load i64, ptr %v0
  %v41 = load i64, ptr %v3
  %v42 = call i64 @nbgrad.runtime.sheet_place.list_of(i64 %v41)
  %v43 = load i64, ptr %v1
  %v44 = load i64, ptr %v9
  %v45 = inttoptr i64 %v43 to ptr
  %v46 = getelementptr i64, ptr %v45, i64 %v44
  %v47 = load i64, ptr %v46
  %v48 = inttoptr i64 %v40 to ptr
  %v49 = getelementptr i64, ptr %v48, i64 %v42
  store i64 %v47, ptr %v49
  br label %done37
else36:
  %v50 = load i64, ptr %v1
  %v51 = load i64, ptr %v4
  %v52 = load i64, ptr %v9
  %v53 = inttoptr i64 %v50 to ptr
  %v54 = getelementptr i64, ptr %v53, i64 %v52
  %v55 = load i64, ptr %v54
  %v56 = getelementptr i64, ptr %v53, i64 %v51
  store i64 %v55, ptr %v56
  br label %done37
done37:
  br label %done32
else31:
  br label %done32
done32:
  %v57 = load i64, ptr %v9
  store i64 %v57, ptr %v58
  ret i64 %v57
}
define internal i64 @nbgrad.runtime.sheet_place.free(i64 %lists, i64 %following, i64 %last, i64 %sizes, i64 %slot) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v9 = alloca i64
  store i64 %lists, ptr %v0
  store i64 %following, ptr %v1
  store i64 %last, ptr %v2
  store i64 %sizes, ptr %v3
  store i64 %slot, ptr %v4
  %v5 = inttoptr i64 %sizes to ptr
  %v6 = getelementptr i64, ptr %v5, i64 %slot
  %v7 = load i64, ptr %v6
  %v8 = call i64 @nbgrad.runtime.sheet_place.list_of(i64 %v7)
  store i64 %v8, ptr %v9
  %v10 = inttoptr i64 %lists to ptr
  %v11 = getelementptr i64, ptr %v10, i64 %v8
  %v12 = load i64, ptr %v11
  %v13 = inttoptr i64 %following to ptr
  %v14 = getelementptr i64, ptr %v13, i64 %slot
  store i64 %v12, ptr %v14
  store i64 %slot, ptr %v11
  %v15 = inttoptr i64 %last to ptr
  %v16 = getelementptr i64, ptr %v15, i64 %slot
  store i64 -2, ptr %v16
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_link.copy_words(i64 %source, i64 %target, i64 %count) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v7 = alloca i64
  %v10 = alloca i64
  store i64 %source, ptr %v0
  store i64 %target, ptr %v1
  store i64 %count, ptr %v2
  store i64 0, ptr %v7
  br label %head3
head3:
  %v8 = load i64, ptr %v7
  %v9 = icmp slt i64 %v8, %count
  br i1 %v9, label %body4, label %done6
body4:
  store i64 %v8, ptr %v10
  %v11 = load i64, ptr %v1
  %v12 = load i64, ptr %v0
  %v13 = inttoptr i64 %v12 to ptr
  %v14 = getelementptr i64, ptr %v13, i64 %v8
  %v15 = load i64, ptr %v14
  %v16 = inttoptr i64 %v11 to ptr
  %v17 = getelementptr i64, ptr %v16, i64 %v8
  store i64 %v15, ptr %v17
  br label %step5
step5:
  %v18 = add i64 %v8, 1
  store i64 %v18, ptr %v7
  br label %head3
done6:
  ret i64 0
}
define internal i64 @nbgrad.runtime.sheet_paste.copy_starts(i64 %sheet, i64 %value, i64 %numbers, i64 %n) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v7 = alloca i64
  %v11 = alloca i64
  %v18 = alloca i64
  %v21 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %value, ptr %v1
  store i64 %numbers, ptr %v2
  store i64 %n, ptr %v3
  %v4 = inttoptr i64 %sheet to ptr
  %v5 = getelementptr i64, ptr %v4, i64 14
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = inttoptr i64 %value to ptr
  %v9 = getelementptr i64, ptr %v8, i64 2
  %v10 = load i64, ptr %v9
  store i64 %v10, ptr %v11
  %v12 = getelementptr i64, ptr %v8, i64 3
  %v13 = load i64, ptr %v12
  store i64 0, ptr %v18
  br label %head14
head14:
  %v19 = load i64, ptr %v18
  %v20 = icmp slt i64 %v19, %v13
  br i1 %v20, label %body15, label %done17
body15:
  store i64 %v19, ptr %v21
  %v22 = load i64, ptr %v2
  %v23 = load i64, ptr %v3
  %v24 = load i64, ptr %v7
  %v25 = load i64, ptr %v11
  %v26 = add i64 %v25, %v19
  %v27 = inttoptr i64 %v24 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 %v26
  %v29 = load i64, ptr %v28
  %v30 = inttoptr i64 %v22 to ptr
  %v31 = getelementptr i64, ptr %v30, i64 %v23
  store i64 %v29, ptr %v31
  %v32 = add i64 %v23, 1
  store i64 %v32, ptr %v3
  br label %step16
step16:
  %v33 = add i64 %v19, 1
  store i64 %v33, ptr %v18
  br label %head14
done17:
  %v34 = load i64, ptr %v3
  ret i64 %v34
}
define internal i64 @nbgrad.runtime.sheet_derive.find_rule(i64 %sheet, i64 %key, i64 %length) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v8 = alloca i64
  %v11 = alloca i64
  %v26 = alloca i64
  %v29 = alloca i64
  %v32 = alloca i64
  %v41 = alloca i64
  %v92 = alloca i64
  store i64 %sheet, ptr %v0
  store i64 %key, ptr %v1
  store i64 %length, ptr %v2
  store i64 0, ptr %v3
  store i64 0, ptr %v8
  br label %head4
head4:
  %v9 = load i64, ptr %v8
  %v10 = icmp slt i64 %v9, %length
  br i1 %v10, label %body5, label %done7
body5:
  store i64 %v9, ptr %v11
  %v12 = load i64, ptr %v3
  %v13 = load i64, ptr %v1
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr i64, ptr %v14, i64 %v9
  %v16 = load i64, ptr %v15
  %v17 = xor i64 %v12, %v16
  %v18 = mul i64 %v17, -7046029254386353131
  store i64 %v18, ptr %v3
  %v19 = ashr i64 %v18, 29
  %v20 = xor i64 %v18, %v19
  store i64 %v20, ptr %v3
  br label %step6
step6:
  %v21 = add i64 %v9, 1
  store i64 %v21, ptr %v8
  br label %head4
done7:
  %v22 = load i64, ptr %v0
  %v23 = inttoptr i64 %v22 to ptr
  %v24 = getelementptr i64, ptr %v23, i64 4
  %v25 = load i64, ptr %v24
  store i64 %v25, ptr %v26
  %v27 = getelementptr i64, ptr %v23, i64 5
  %v28 = load i64, ptr %v27
  store i64 %v28, ptr %v29
  %v30 = load i64, ptr %v3
  %v31 = and i64 %v30, %v28
  store i64 %v31, ptr %v32
  br label %head33
head33:
  br label %body34
body34:
  %v36 = load i64, ptr %v26
  %v37 = load i64, ptr %v32
  %v38 = inttoptr i64 %v36 to ptr
  %v39 = getelementptr i64, ptr %v38, i64 %v37
  %v40 = load i64, ptr %v39
  store i64 %v40, ptr %v41
  %v45 = icmp eq i64 %v40, 0
  br i1 %v45, label %then42, label %else43
then42:
  %v46 = load i64, ptr %v0
  %v47 = load i64, ptr %v32
  %v48 = inttoptr i64 %v46 to ptr
  %v49 = getelementptr i64, ptr %v48, i64 35
  store i64 %v47, ptr %v49
  ret i64 0
else43:
  br label %done44
done44:
  %v53 = load i64, ptr %v41
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = getelementptr i64, ptr %v54, i64 0
  %v56 = load i64, ptr %v55
  %v57 = load i64, ptr %v2
  %v58 = icmp eq i64 %v56, %v57
  br i1 %v58, label %then50, label %else51
then50:
  store i64 0, ptr %v11
  br label %head59
head59:
  %v63 = load i64, ptr %v11
  %v64 = load i64, ptr %v2
  %v65 = icmp slt i64 %v63, %v64
  br i1 %v65, label %next66, label %known62
next66:
  %v67 = load i64, ptr %v41
  %v68 = load i64, ptr %v11
  %v69 = add i64 1, %v68
  %v70 = inttoptr i64 %v67 to ptr
  %v71 = getelementptr i64, ptr %v70, i64 %v69
  %v72 = load i64, ptr %v71
  %v73 = load i64, ptr %v1
  %v74 = inttoptr i64 %v73 to ptr
  %v75 = getelementptr i64, ptr %v74, i64 %v68
  %v76 = load i64, ptr %v75
  %v77 = icmp eq i64 %v72, %v76
  br label %known62
known62:
  %v78 = phi i1 [ false, %head59 ], [ %v77, %next66 ]
  br i1 %v78, label %body60, label %done61
body60:
  %v79 = load i64, ptr %v11
  %v80 = add i64 %v79, 1
  store i64 %v80, ptr %v11
  br label %head59
done61:
  %v84 = load i64, ptr %v11
  %v85 = load i64, ptr %v2
  %v86 = icmp eq i64 %v84, %v85
  br i1 %v86, label %then81, label %else82
then81:
  %v87 = load i64, ptr %v41
  %v88 = load i64, ptr %v2
  %v89 = add i64 1, %v88
  %v90 = mul i64 %v89, 8
  %v91 = add i64 %v87, %v90
  store i64 %v91, ptr %v92
  ret i64 %v91
else82:
  br label %done83
done83:
  br label %done52
else51:
  br label %done52
done52:
  %v93 = load i64, ptr %v32
  %v94 = add i64 %v93, 1
  %v95 = load i64, ptr %v29
  %v96 = and i64 %v94, %v95
  store i64 %v96, ptr %v32
  br label %head33
done35:
  unreachable
}
define internal i64 @nbgrad.runtime.sheet_place.list_of(i64 %size) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v2 = alloca i64
  store i64 %size, ptr %v0
  %v1 = mul i64 %size, -7046029254386353131
  store i64 %v1, ptr %v2
  %v3 = ashr i64 %v1, 29
  %v4 = xor i64 %v1, %v3
  store i64 %v4, ptr %v2
  %v5 = sub i64 64, 1
  %v6 = and i64 %v4, %v5
  ret i64 %v6
}
