define i64 @nbgrad_run(i64 %frame) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v17 = alloca i64
  store i64 %frame, ptr %v0
  %v1 = inttoptr i64 %frame to ptr
  %v2 = getelementptr i64, ptr %v1, i64 18
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v8 = icmp eq i64 %v3, 0
  br i1 %v8, label %then5, label %else6
then5:
  %v9 = load i64, ptr %v0
  %v10 = call i64 @nbgrad.runtime.runner_kernels.walk(i64 %v9, i64 0)
  ret i64 %v10
else6:
  br label %done7
done7:
  %v11 = load i64, ptr %v4
  %v12 = inttoptr i64 %v11 to ptr
  %v13 = getelementptr i64, ptr %v12, i64 27
  %v14 = atomicrmw add ptr %v13, i64 1 seq_cst
  %v15 = load i64, ptr %v0
  %v16 = call i64 @nbgrad.runtime.runner_kernels.walk(i64 %v15, i64 %v11)
  store i64 %v16, ptr %v17
  %v18 = sub i64 0, 1
  %v19 = atomicrmw add ptr %v13, i64 %v18 seq_cst
  ret i64 %v16
}
define i64 @nbgrad_work(i64 %own) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v15 = alloca i64
  %v16 = alloca i64
  store i64 %own, ptr %v0
  %v1 = inttoptr i64 %own to ptr
  %v2 = getelementptr i64, ptr %v1, i64 0
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = sub i64 %own, %v3
  %v6 = sdiv i64 %v5, 8
  %v7 = srem i64 %v5, 8
  %v8 = xor i64 %v7, 8
  %v9 = icmp slt i64 %v8, 0
  %v10 = icmp ne i64 %v7, 0
  %v11 = and i1 %v9, %v10
  %v12 = zext i1 %v11 to i64
  %v13 = sub i64 %v6, %v12
  %v14 = sub i64 %v13, 656
  store i64 %v14, ptr %v15
  store i64 0, ptr %v16
  br label %head17
head17:
  br label %body18
body18:
  %v23 = load i64, ptr %v4
  %v24 = load i64, ptr %v16
  %v25 = load i64, ptr %v0
  %v26 = call i64 @nbgrad.runtime.pool_kernels.sees_job(i64 %v23, i64 %v24, i64 %v25)
  %v27 = icmp ne i64 %v26, 0
  %v28 = xor i1 %v27, true
  br i1 %v28, label %then20, label %else21
then20:
  %v32 = load i64, ptr %v4
  %v33 = inttoptr i64 %v32 to ptr
  %v34 = getelementptr i64, ptr %v33, i64 25
  %v35 = load i64, ptr %v34
  %v36 = call i64 @nbgrad_sem_wait(i64 %v35)
  %v37 = icmp ne i64 %v36, 0
  br i1 %v37, label %then29, label %else30
then29:
  br label %head17
else30:
  br label %done31
done31:
  %v38 = load i64, ptr %v4
  %v39 = sub i64 0, 1
  %v40 = inttoptr i64 %v38 to ptr
  %v41 = getelementptr i64, ptr %v40, i64 32
  %v42 = atomicrmw add ptr %v41, i64 %v39 seq_cst
  br label %done22
else21:
  br label %done22
done22:
  %v46 = load i64, ptr %v4
  %v47 = inttoptr i64 %v46 to ptr
  %v48 = getelementptr i64, ptr %v47, i64 26
  %v49 = load atomic i64, ptr %v48 seq_cst, align 8
  %v50 = icmp ne i64 %v49, 0
  br i1 %v50, label %then43, label %else44
then43:
  ret i64 0
else44:
  br label %done45
done45:
  %v54 = load i64, ptr %v4
  %v55 = inttoptr i64 %v54 to ptr
  %v56 = getelementptr i64, ptr %v55, i64 8
  %v57 = atomicrmw add ptr %v56, i64 1 seq_cst
  %v58 = icmp slt i64 %v57, 4294967296
  br i1 %v58, label %then51, label %else52
then51:
  %v59 = load i64, ptr %v4
  %v60 = inttoptr i64 %v59 to ptr
  %v61 = getelementptr i64, ptr %v60, i64 18
  %v62 = load atomic i64, ptr %v61 seq_cst, align 8
  store i64 %v62, ptr %v16
  %v63 = load i64, ptr %v15
  %v64 = sdiv i64 %v63, 8
  %v65 = srem i64 %v63, 8
  %v66 = xor i64 %v65, 8
  %v67 = icmp slt i64 %v66, 0
  %v68 = icmp ne i64 %v65, 0
  %v69 = and i1 %v67, %v68
  %v70 = zext i1 %v69 to i64
  %v71 = sub i64 %v64, %v70
  %v72 = call i64 @nbgrad.runtime.pool_kernels.take_parts(i64 %v59, i64 %v71)
  br label %done53
else52:
  br label %done53
done53:
  %v73 = load i64, ptr %v4
  %v74 = sub i64 0, 1
  %v75 = inttoptr i64 %v73 to ptr
  %v76 = getelementptr i64, ptr %v75, i64 8
  %v77 = atomicrmw add ptr %v76, i64 %v74 seq_cst
  br label %head17
done19:
  unreachable
}
define i64 @nbgrad_mark_held(i64 %objects, i64 %out) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v5 = alloca i64
  %v8 = alloca i64
  %v15 = alloca i64
  %v18 = alloca i64
  %v19 = alloca i64
  %v29 = alloca i64
  %v32 = alloca i64
  store i64 %objects, ptr %v0
  store i64 %out, ptr %v1
  %v2 = inttoptr i64 %objects to ptr
  %v3 = getelementptr i64, ptr %v2, i64 2
  %v4 = load i64, ptr %v3
  store i64 %v4, ptr %v5
  %v6 = getelementptr i64, ptr %v2, i64 3
  %v7 = load i64, ptr %v6
  store i64 %v7, ptr %v8
  %v9 = add i64 %v4, 7
  %v10 = ashr i64 %v9, 3
  store i64 0, ptr %v15
  br label %head11
head11:
  %v16 = load i64, ptr %v15
  %v17 = icmp slt i64 %v16, %v10
  br i1 %v17, label %body12, label %done14
body12:
  store i64 %v16, ptr %v18
  store i64 0, ptr %v19
  %v20 = load i64, ptr %v5
  %v21 = mul i64 %v16, 8
  %v22 = sub i64 %v20, %v21
  %v23 = icmp slt i64 8, %v22
  %v24 = select i1 %v23, i64 8, i64 %v22
  store i64 0, ptr %v29
  br label %head25
head25:
  %v30 = load i64, ptr %v29
  %v31 = icmp slt i64 %v30, %v24
  br i1 %v31, label %body26, label %done28
body26:
  store i64 %v30, ptr %v32
  %v36 = load i64, ptr %v8
  %v37 = load i64, ptr %v18
  %v38 = mul i64 %v37, 8
  %v39 = add i64 %v38, %v30
  %v40 = inttoptr i64 %v36 to ptr
  %v41 = getelementptr i64, ptr %v40, i64 %v39
  %v42 = load i64, ptr %v41
  %v43 = inttoptr i64 %v42 to ptr
  %v44 = getelementptr i64, ptr %v43, i64 0
  %v45 = load i64, ptr %v44
  %v46 = and i64 %v45, 4294967295
  %v47 = icmp ne i64 %v46, 1
  br i1 %v47, label %then33, label %else34
then33:
  %v48 = load i64, ptr %v19
  %v49 = load i64, ptr %v32
  %v50 = mul i64 %v49, 8
  %v51 = shl i64 1, %v50
  %v52 = or i64 %v48, %v51
  store i64 %v52, ptr %v19
  br label %done35
else34:
  br label %done35
done35:
  br label %step27
step27:
  %v53 = add i64 %v30, 1
  store i64 %v53, ptr %v29
  br label %head25
done28:
  %v54 = load i64, ptr %v1
  %v55 = load i64, ptr %v18
  %v56 = load i64, ptr %v19
  %v57 = inttoptr i64 %v54 to ptr
  %v58 = getelementptr i64, ptr %v57, i64 %v55
  store i64 %v56, ptr %v58
  br label %step13
step13:
  %v59 = add i64 %v16, 1
  store i64 %v59, ptr %v15
  br label %head11
done14:
  %v60 = load i64, ptr %v5
  ret i64 %v60
}
define i64 @nbgrad_all_as_noted(i64 %notes, i64 %count) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v6 = alloca i64
  %v9 = alloca i64
  store i64 %notes, ptr %v0
  store i64 %count, ptr %v1
  store i64 0, ptr %v6
  br label %head2
head2:
  %v7 = load i64, ptr %v6
  %v8 = icmp slt i64 %v7, %count
  br i1 %v8, label %body3, label %done5
body3:
  store i64 %v7, ptr %v9
  %v13 = load i64, ptr %v0
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr i64, ptr %v14, i64 0
  %v16 = load i64, ptr %v15
  %v17 = inttoptr i64 %v16 to ptr
  %v18 = getelementptr i64, ptr %v17, i64 0
  %v19 = load i64, ptr %v18
  %v20 = getelementptr i64, ptr %v14, i64 1
  %v21 = load i64, ptr %v20
  %v22 = and i64 %v19, %v21
  %v23 = getelementptr i64, ptr %v14, i64 2
  %v24 = load i64, ptr %v23
  %v25 = icmp ne i64 %v22, %v24
  br i1 %v25, label %then10, label %else11
then10:
  ret i64 0
else11:
  br label %done12
done12:
  %v26 = load i64, ptr %v0
  %v27 = mul i64 3, 8
  %v28 = add i64 %v26, %v27
  store i64 %v28, ptr %v0
  br label %step4
step4:
  %v29 = add i64 %v7, 1
  store i64 %v29, ptr %v6
  br label %head2
done5:
  ret i64 1
}
define internal i64 @nbgrad.runtime.runner_kernels.walk(i64 %frame, i64 %pool) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v5 = alloca i64
  %v8 = alloca i64
  %v24 = alloca i64
  %v31 = alloca i64
  %v34 = alloca i64
  %v37 = alloca i64
  %v40 = alloca i64
  %v41 = alloca i64
  %v42 = alloca i64
  %v53 = alloca i64
  %v56 = alloca i64
  %v59 = alloca i64
  %v61 = alloca i64
  %v68 = alloca i64
  %v74 = alloca i64
  %v85 = alloca i64
  %v147 = alloca i64
  %v149 = alloca i64
  %v161 = alloca i64
  %v192 = alloca i64
  %v193 = alloca i64
  %v194 = alloca i64
  %v303 = alloca i64
  store i64 %frame, ptr %v0
  store i64 %pool, ptr %v1
  %v2 = inttoptr i64 %frame to ptr
  %v3 = getelementptr i64, ptr %v2, i64 0
  %v4 = load i64, ptr %v3
  store i64 %v4, ptr %v5
  %v6 = getelementptr i64, ptr %v2, i64 1
  %v7 = load i64, ptr %v6
  store i64 %v7, ptr %v8
  %v13 = icmp eq i64 %v4, 0
  br i1 %v13, label %next14, label %known12
next14:
  %v15 = load i64, ptr %v8
  %v16 = icmp eq i64 %v15, 0
  br label %known12
known12:
  %v17 = phi i1 [ false, %entry ], [ %v16, %next14 ]
  br i1 %v17, label %then9, label %else10
then9:
  %v18 = load i64, ptr %v0
  %v19 = call i64 @nbgrad.runtime.runner_kernels.bind(i64 %v18)
  br label %done11
else10:
  br label %done11
done11:
  %v20 = load i64, ptr %v0
  %v21 = inttoptr i64 %v20 to ptr
  %v22 = getelementptr i64, ptr %v21, i64 4
  %v23 = load i64, ptr %v22
  store i64 %v23, ptr %v24
  %v25 = getelementptr i64, ptr %v21, i64 3
  %v26 = load i64, ptr %v25
  %v27 = load i64, ptr %v5
  %v28 = mul i64 %v27, 6
  %v29 = mul i64 %v28, 8
  %v30 = add i64 %v26, %v29
  store i64 %v30, ptr %v31
  %v32 = getelementptr i64, ptr %v21, i64 5
  %v33 = load i64, ptr %v32
  store i64 %v33, ptr %v34
  %v35 = getelementptr i64, ptr %v21, i64 15
  %v36 = load i64, ptr %v35
  store i64 %v36, ptr %v37
  %v38 = getelementptr i64, ptr %v21, i64 12
  %v39 = load i64, ptr %v38
  store i64 %v39, ptr %v40
  store i64 0, ptr %v41
  store i64 500000000, ptr %v42
  br label %head43
head43:
  %v46 = load i64, ptr %v5
  %v47 = load i64, ptr %v24
  %v48 = icmp slt i64 %v46, %v47
  br i1 %v48, label %body44, label %done45
body44:
  %v49 = load i64, ptr %v31
  %v50 = inttoptr i64 %v49 to ptr
  %v51 = getelementptr i64, ptr %v50, i64 2
  %v52 = load i64, ptr %v51
  store i64 %v52, ptr %v53
  %v54 = getelementptr i64, ptr %v50, i64 4
  %v55 = load i64, ptr %v54
  store i64 %v55, ptr %v56
  %v57 = getelementptr i64, ptr %v50, i64 5
  %v58 = load i64, ptr %v57
  store i64 %v58, ptr %v59
  %v60 = call i64 @nbgrad.runtime.runner_kernels.chunk_of(i64 %v49)
  store i64 %v60, ptr %v61
  br label %head62
head62:
  %v65 = load i64, ptr %v8
  %v66 = load i64, ptr %v53
  %v67 = icmp slt i64 %v65, %v66
  br i1 %v67, label %body63, label %done64
body63:
  store i64 1, ptr %v68
  %v69 = load i64, ptr %v53
  %v70 = load i64, ptr %v8
  %v71 = sub i64 %v69, %v70
  %v72 = load i64, ptr %v56
  %v73 = mul i64 %v71, %v72
  store i64 %v73, ptr %v74
  %v76 = load i64, ptr %v1
  %v77 = icmp ne i64 %v76, 0
  br i1 %v77, label %next78, label %known75
next78:
  %v79 = load i64, ptr %v59
  %v80 = or i64 1, 2
  %v81 = and i64 %v79, %v80
  %v82 = icmp ne i64 %v81, 0
  br label %known75
known75:
  %v83 = phi i1 [ false, %body63 ], [ %v82, %next78 ]
  %v84 = zext i1 %v83 to i64
  store i64 %v84, ptr %v85
  %v90 = icmp ne i64 %v84, 0
  br i1 %v90, label %next91, label %known89
next91:
  %v92 = load i64, ptr %v59
  %v93 = and i64 %v92, 2
  %v94 = icmp ne i64 %v93, 0
  br i1 %v94, label %next95, label %known89
next95:
  %v96 = load i64, ptr %v8
  %v97 = icmp eq i64 %v96, 0
  br label %known89
known89:
  %v98 = phi i1 [ false, %known75 ], [ false, %next91 ], [ %v97, %next95 ]
  br i1 %v98, label %then86, label %else87
then86:
  %v99 = load i64, ptr %v31
  %v100 = call {i64, i64} @nbgrad.runtime.runner_kernels.wave_at(i64 %v99)
  %v101 = extractvalue {i64, i64} %v100, 0
  store i64 %v101, ptr %v68
  %v102 = extractvalue {i64, i64} %v100, 1
  store i64 %v102, ptr %v74
  br label %done88
else87:
  %v106 = load i64, ptr %v59
  %v107 = and i64 %v106, 1
  %v108 = icmp eq i64 %v107, 0
  br i1 %v108, label %then103, label %else104
then103:
  store i64 0, ptr %v85
  br label %done105
else104:
  br label %done105
done105:
  br label %done88
done88:
  %v112 = load i64, ptr %v85
  %v113 = icmp ne i64 %v112, 0
  br i1 %v113, label %then109, label %else110
then109:
  %v115 = load i64, ptr %v74
  %v116 = icmp sge i64 %v115, 4000000
  br i1 %v116, label %next117, label %known114
next117:
  %v119 = load i64, ptr %v1
  %v120 = call i64 @nbgrad.runtime.pool_kernels.is_attended(i64 %v119)
  %v121 = icmp ne i64 %v120, 0
  br i1 %v121, label %known118, label %next122
next122:
  %v123 = load i64, ptr %v37
  %v124 = load i64, ptr %v74
  %v125 = icmp sgt i64 %v123, %v124
  %v126 = select i1 %v125, i64 %v123, i64 %v124
  %v127 = icmp sge i64 %v126, 45000000
  br label %known118
known118:
  %v128 = phi i1 [ true, %next117 ], [ %v127, %next122 ]
  br label %known114
known114:
  %v129 = phi i1 [ false, %then109 ], [ %v128, %known118 ]
  %v130 = zext i1 %v129 to i64
  store i64 %v130, ptr %v85
  br label %done111
else110:
  br label %done111
done111:
  %v135 = load i64, ptr %v85
  %v136 = icmp ne i64 %v135, 0
  br i1 %v136, label %next137, label %known134
next137:
  %v138 = load i64, ptr %v1
  %v139 = call i64 @nbgrad.runtime.pool_kernels.acquired(i64 %v138)
  %v140 = icmp ne i64 %v139, 0
  br label %known134
known134:
  %v141 = phi i1 [ false, %done111 ], [ %v140, %next137 ]
  br i1 %v141, label %then131, label %else132
then131:
  %v142 = load i64, ptr %v1
  %v143 = inttoptr i64 %v142 to ptr
  %v144 = getelementptr i64, ptr %v143, i64 24
  %v145 = load i64, ptr %v144
  %v146 = add i64 %v145, 1
  store i64 %v146, ptr %v147
  %v148 = load i64, ptr %v53
  store i64 %v148, ptr %v149
  %v153 = load i64, ptr %v68
  %v154 = icmp sgt i64 %v153, 1
  br i1 %v154, label %then150, label %else151
then150:
  %v155 = load i64, ptr %v1
  %v156 = load i64, ptr %v31
  %v157 = load i64, ptr %v68
  %v158 = load i64, ptr %v34
  %v159 = load i64, ptr %v147
  %v160 = call i64 @nbgrad.runtime.runner_kernels.add_wave(i64 %v155, i64 %v156, i64 %v157, i64 %v158, i64 %v159)
  store i64 %v160, ptr %v161
  br label %done152
else151:
  %v162 = load i64, ptr %v53
  %v163 = load i64, ptr %v8
  %v164 = load i64, ptr %v56
  %v165 = sdiv i64 5000000000, %v164
  %v166 = srem i64 5000000000, %v164
  %v167 = xor i64 %v166, %v164
  %v168 = icmp slt i64 %v167, 0
  %v169 = icmp ne i64 %v166, 0
  %v170 = and i1 %v168, %v169
  %v171 = zext i1 %v170 to i64
  %v172 = sub i64 %v165, %v171
  %v173 = load i64, ptr %v61
  %v174 = icmp sgt i64 %v172, %v173
  %v175 = select i1 %v174, i64 %v172, i64 %v173
  %v176 = load i64, ptr %v147
  %v177 = mul i64 %v175, %v176
  %v178 = add i64 %v163, %v177
  %v179 = icmp slt i64 %v162, %v178
  %v180 = select i1 %v179, i64 %v162, i64 %v178
  store i64 %v180, ptr %v149
  %v181 = load i64, ptr %v1
  %v182 = load i64, ptr %v31
  %v183 = load i64, ptr %v34
  %v184 = call i64 @nbgrad.runtime.runner_kernels.add_row(i64 %v181, i64 0, i64 %v182, i64 %v183, i64 %v163, i64 %v180, i64 %v176)
  store i64 %v184, ptr %v161
  br label %done152
done152:
  %v185 = load i64, ptr %v1
  %v186 = load i64, ptr %v161
  %v187 = load i64, ptr %v37
  %v188 = load i64, ptr %v74
  %v189 = icmp sgt i64 %v187, %v188
  %v190 = select i1 %v189, i64 %v187, i64 %v188
  %v191 = call i64 @nbgrad.runtime.pool_kernels.share(i64 %v185, i64 %v186, i64 %v190)
  store i64 %v191, ptr %v192
  store i64 0, ptr %v193
  store i64 0, ptr %v194
  %v198 = icmp ne i64 %v191, 4611686018427387904
  br i1 %v198, label %then195, label %else196
then195:
  %v199 = load i64, ptr %v1
  %v200 = load i64, ptr %v192
  %v201 = sdiv i64 %v200, 256
  %v202 = srem i64 %v200, 256
  %v203 = xor i64 %v202, 256
  %v204 = icmp slt i64 %v203, 0
  %v205 = icmp ne i64 %v202, 0
  %v206 = and i1 %v204, %v205
  %v207 = zext i1 %v206 to i64
  %v208 = sub i64 %v201, %v207
  %v209 = call i64 @nbgrad.runtime.pool_kernels.line_of(i64 %v199, i64 %v208)
  store i64 %v209, ptr %v193
  %v210 = sub i64 256, 1
  %v211 = and i64 %v200, %v210
  store i64 %v211, ptr %v194
  br label %done197
else196:
  br label %done197
done197:
  %v212 = load i64, ptr %v1
  %v213 = inttoptr i64 %v212 to ptr
  %v214 = getelementptr i64, ptr %v213, i64 0
  store atomic i64 0, ptr %v214 seq_cst, align 8
  store i64 0, ptr %v37
  %v215 = load i64, ptr %v42
  %v216 = load i64, ptr %v74
  %v217 = load i64, ptr %v147
  %v218 = sdiv i64 %v216, %v217
  %v219 = srem i64 %v216, %v217
  %v220 = xor i64 %v219, %v217
  %v221 = icmp slt i64 %v220, 0
  %v222 = icmp ne i64 %v219, 0
  %v223 = and i1 %v221, %v222
  %v224 = zext i1 %v223 to i64
  %v225 = sub i64 %v218, %v224
  %v226 = sub i64 %v215, %v225
  store i64 %v226, ptr %v42
  br label %done133
else132:
  store i64 0, ptr %v193
  store i64 1, ptr %v68
  %v227 = load i64, ptr %v53
  %v228 = load i64, ptr %v8
  %v229 = load i64, ptr %v61
  %v230 = add i64 %v228, %v229
  %v231 = icmp slt i64 %v227, %v230
  %v232 = select i1 %v231, i64 %v227, i64 %v230
  store i64 %v232, ptr %v149
  %v233 = load i64, ptr %v31
  %v234 = inttoptr i64 %v233 to ptr
  %v235 = getelementptr i64, ptr %v234, i64 0
  %v236 = load i64, ptr %v235
  %v237 = load i64, ptr %v34
  %v238 = getelementptr i64, ptr %v234, i64 1
  %v239 = load i64, ptr %v238
  %v240 = mul i64 %v239, 8
  %v241 = add i64 %v237, %v240
  %v242 = inttoptr i64 %v236 to ptr
  %v243 = inttoptr i64 %v241 to ptr
  %v244 = call i32 %v242(ptr %v243, i64 %v228, i64 %v232)
  %v245 = sext i32 %v244 to i64
  store i64 %v245, ptr %v194
  %v246 = load i64, ptr %v42
  %v247 = sub i64 %v232, %v228
  %v248 = load i64, ptr %v56
  %v249 = mul i64 %v247, %v248
  %v250 = add i64 %v249, 10000
  %v251 = sub i64 %v246, %v250
  store i64 %v251, ptr %v42
  br label %done133
done133:
  %v255 = load i64, ptr %v194
  %v256 = icmp ne i64 %v255, 0
  br i1 %v256, label %then252, label %else253
then252:
  %v257 = load i64, ptr %v0
  %v258 = load i64, ptr %v5
  %v259 = load i64, ptr %v193
  %v260 = add i64 %v258, %v259
  %v261 = inttoptr i64 %v257 to ptr
  %v262 = getelementptr i64, ptr %v261, i64 0
  store i64 %v260, ptr %v262
  %v263 = load i64, ptr %v8
  %v264 = getelementptr i64, ptr %v261, i64 1
  store i64 %v263, ptr %v264
  %v265 = load i64, ptr %v194
  %v266 = getelementptr i64, ptr %v261, i64 2
  store i64 %v265, ptr %v266
  ret i64 2
else253:
  br label %done254
done254:
  %v267 = load i64, ptr %v149
  store i64 %v267, ptr %v8
  %v271 = load i64, ptr %v68
  %v272 = icmp sgt i64 %v271, 1
  br i1 %v272, label %then268, label %else269
then268:
  %v273 = load i64, ptr %v5
  %v274 = load i64, ptr %v68
  %v275 = sub i64 %v274, 1
  %v276 = add i64 %v273, %v275
  store i64 %v276, ptr %v5
  %v277 = load i64, ptr %v31
  %v278 = sub i64 %v274, 1
  %v279 = mul i64 %v278, 6
  %v280 = mul i64 %v279, 8
  %v281 = add i64 %v277, %v280
  store i64 %v281, ptr %v31
  %v282 = inttoptr i64 %v281 to ptr
  %v283 = getelementptr i64, ptr %v282, i64 2
  %v284 = load i64, ptr %v283
  store i64 %v284, ptr %v53
  store i64 %v284, ptr %v8
  br label %done270
else269:
  br label %done270
done270:
  %v288 = load i64, ptr %v42
  %v289 = icmp sle i64 %v288, 0
  br i1 %v289, label %then285, label %else286
then285:
  store i64 500000000, ptr %v42
  %v290 = load i64, ptr %v0
  %v291 = inttoptr i64 %v290 to ptr
  %v292 = getelementptr i64, ptr %v291, i64 14
  %v293 = load i64, ptr %v292
  %v294 = mul i64 16, 8
  %v295 = add i64 %v290, %v294
  %v296 = call i64 @nbgrad_clock_gettime(i64 %v293, i64 %v295)
  %v297 = getelementptr i64, ptr %v291, i64 16
  %v298 = load i64, ptr %v297
  %v299 = mul i64 %v298, 1000000000
  %v300 = getelementptr i64, ptr %v291, i64 17
  %v301 = load i64, ptr %v300
  %v302 = add i64 %v299, %v301
  store i64 %v302, ptr %v303
  %v307 = load i64, ptr %v41
  %v308 = icmp eq i64 %v307, 0
  br i1 %v308, label %then304, label %else305
then304:
  %v309 = load i64, ptr %v303
  %v310 = load i64, ptr %v0
  %v311 = inttoptr i64 %v310 to ptr
  %v312 = getelementptr i64, ptr %v311, i64 13
  %v313 = load i64, ptr %v312
  %v314 = add i64 %v309, %v313
  store i64 %v314, ptr %v41
  br label %done306
else305:
  %v319 = load i64, ptr %v303
  %v320 = load i64, ptr %v41
  %v321 = icmp sge i64 %v319, %v320
  br i1 %v321, label %next322, label %known318
next322:
  %v323 = load i64, ptr %v5
  %v324 = load i64, ptr %v40
  %v325 = icmp slt i64 %v323, %v324
  br label %known318
known318:
  %v326 = phi i1 [ false, %else305 ], [ %v325, %next322 ]
  br i1 %v326, label %then315, label %else316
then315:
  %v327 = load i64, ptr %v0
  %v328 = load i64, ptr %v5
  %v329 = inttoptr i64 %v327 to ptr
  %v330 = getelementptr i64, ptr %v329, i64 0
  store i64 %v328, ptr %v330
  %v331 = load i64, ptr %v8
  %v332 = getelementptr i64, ptr %v329, i64 1
  store i64 %v331, ptr %v332
  ret i64 1
else316:
  br label %done317
done317:
  br label %done306
done306:
  br label %done287
else286:
  br label %done287
done287:
  br label %head62
done64:
  store i64 0, ptr %v8
  %v333 = load i64, ptr %v5
  %v334 = add i64 %v333, 1
  store i64 %v334, ptr %v5
  %v335 = load i64, ptr %v31
  %v336 = mul i64 6, 8
  %v337 = add i64 %v335, %v336
  store i64 %v337, ptr %v31
  br label %head43
done45:
  %v338 = load i64, ptr %v0
  %v339 = inttoptr i64 %v338 to ptr
  %v340 = getelementptr i64, ptr %v339, i64 0
  store i64 0, ptr %v340
  %v341 = getelementptr i64, ptr %v339, i64 1
  store i64 0, ptr %v341
  ret i64 0
}
define internal i64 @nbgrad.runtime.pool_kernels.sees_job(i64 %pool, i64 %last, i64 %own) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v7 = alloca i64
  %v8 = alloca i64
  %v9 = alloca i64
  %v23 = alloca i64
  %v42 = alloca i64
  %v43 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %last, ptr %v1
  store i64 %own, ptr %v2
  %v3 = inttoptr i64 %pool to ptr
  %v4 = getelementptr i64, ptr %v3, i64 33
  %v5 = atomicrmw add ptr %v4, i64 1 seq_cst
  %v6 = call i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %own)
  store i64 %v6, ptr %v7
  store i64 %v6, ptr %v8
  store i64 1, ptr %v9
  br label %head10
head10:
  %v14 = load i64, ptr %v9
  %v15 = icmp ne i64 %v14, 0
  br i1 %v15, label %next16, label %known13
next16:
  %v17 = load i64, ptr %v0
  %v18 = load i64, ptr %v1
  %v19 = call i64 @nbgrad.runtime.pool_kernels.has_job(i64 %v17, i64 %v18)
  %v20 = icmp ne i64 %v19, 0
  %v21 = xor i1 %v20, true
  br label %known13
known13:
  %v22 = phi i1 [ false, %head10 ], [ %v21, %next16 ]
  br i1 %v22, label %body11, label %done12
body11:
  store i64 0, ptr %v23
  br label %head24
head24:
  %v28 = load i64, ptr %v23
  %v29 = icmp slt i64 %v28, 100
  br i1 %v29, label %next30, label %known27
next30:
  %v31 = load i64, ptr %v0
  %v32 = load i64, ptr %v1
  %v33 = call i64 @nbgrad.runtime.pool_kernels.has_job(i64 %v31, i64 %v32)
  %v34 = icmp ne i64 %v33, 0
  %v35 = xor i1 %v34, true
  br label %known27
known27:
  %v36 = phi i1 [ false, %head24 ], [ %v35, %next30 ]
  br i1 %v36, label %body25, label %done26
body25:
  %v37 = call i64 @nbgrad_pause()
  %v38 = load i64, ptr %v23
  %v39 = add i64 %v38, 1
  store i64 %v39, ptr %v23
  br label %head24
done26:
  %v40 = load i64, ptr %v2
  %v41 = call i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %v40)
  store i64 %v41, ptr %v42
  store i64 50000, ptr %v43
  %v47 = load i64, ptr %v0
  %v48 = inttoptr i64 %v47 to ptr
  %v49 = getelementptr i64, ptr %v48, i64 27
  %v50 = load atomic i64, ptr %v49 seq_cst, align 8
  %v51 = icmp sgt i64 %v50, 0
  br i1 %v51, label %then44, label %else45
then44:
  store i64 300000, ptr %v43
  br label %done46
else45:
  br label %done46
done46:
  %v53 = load i64, ptr %v42
  %v54 = load i64, ptr %v7
  %v55 = sub i64 %v53, %v54
  %v56 = load i64, ptr %v43
  %v57 = icmp slt i64 %v55, %v56
  br i1 %v57, label %next58, label %known52
next58:
  %v59 = load i64, ptr %v42
  %v60 = load i64, ptr %v8
  %v61 = sub i64 %v59, %v60
  %v62 = icmp slt i64 %v61, 100000
  br label %known52
known52:
  %v63 = phi i1 [ false, %done46 ], [ %v62, %next58 ]
  %v64 = zext i1 %v63 to i64
  store i64 %v64, ptr %v9
  %v65 = load i64, ptr %v42
  store i64 %v65, ptr %v8
  br label %head10
done12:
  %v66 = load i64, ptr %v0
  %v67 = sub i64 0, 1
  %v68 = inttoptr i64 %v66 to ptr
  %v69 = getelementptr i64, ptr %v68, i64 33
  %v70 = atomicrmw add ptr %v69, i64 %v67 seq_cst
  %v71 = load i64, ptr %v1
  %v72 = call i64 @nbgrad.runtime.pool_kernels.has_job(i64 %v66, i64 %v71)
  ret i64 %v72
}
define internal i64 @nbgrad.runtime.pool_kernels.take_parts(i64 %pool, i64 %thread) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v5 = alloca i64
  %v16 = alloca i64
  %v21 = alloca i64
  %v24 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %thread, ptr %v1
  %v2 = inttoptr i64 %pool to ptr
  %v3 = getelementptr i64, ptr %v2, i64 19
  %v4 = load i64, ptr %v3
  store i64 %v4, ptr %v5
  %v6 = sdiv i64 %thread, %v4
  %v7 = srem i64 %thread, %v4
  %v8 = xor i64 %v7, %v4
  %v9 = icmp slt i64 %v8, 0
  %v10 = icmp ne i64 %v7, 0
  %v11 = and i1 %v9, %v10
  %v12 = zext i1 %v11 to i64
  %v13 = sub i64 %v6, %v12
  %v14 = mul i64 %v13, %v4
  %v15 = sub i64 %thread, %v14
  store i64 %v15, ptr %v16
  store i64 0, ptr %v21
  br label %head17
head17:
  %v22 = load i64, ptr %v21
  %v23 = icmp slt i64 %v22, %v4
  br i1 %v23, label %body18, label %done20
body18:
  store i64 %v22, ptr %v24
  %v25 = load i64, ptr %v0
  %v26 = load i64, ptr %v16
  %v27 = call i64 @nbgrad.runtime.pool_kernels.take_share(i64 %v25, i64 %v26)
  %v28 = add i64 %v26, 1
  store i64 %v28, ptr %v16
  %v32 = load i64, ptr %v5
  %v33 = icmp eq i64 %v28, %v32
  br i1 %v33, label %then29, label %else30
then29:
  store i64 0, ptr %v16
  br label %done31
else30:
  br label %done31
done31:
  br label %step19
step19:
  %v34 = add i64 %v22, 1
  store i64 %v34, ptr %v21
  br label %head17
done20:
  ret i64 0
}
define internal i64 @nbgrad.runtime.runner_kernels.bind(i64 %frame) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v14 = alloca i64
  %v17 = alloca i64
  %v27 = alloca i64
  %v49 = alloca i64
  %v70 = alloca i64
  %v77 = alloca i64
  %v84 = alloca i64
  store i64 %frame, ptr %v0
  %v1 = inttoptr i64 %frame to ptr
  %v2 = getelementptr i64, ptr %v1, i64 5
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v5 = getelementptr i64, ptr %v1, i64 6
  %v6 = load i64, ptr %v5
  store i64 %v6, ptr %v7
  %v8 = getelementptr i64, ptr %v1, i64 7
  %v9 = load i64, ptr %v8
  store i64 0, ptr %v14
  br label %head10
head10:
  %v15 = load i64, ptr %v14
  %v16 = icmp slt i64 %v15, %v9
  br i1 %v16, label %body11, label %done13
body11:
  store i64 %v15, ptr %v17
  %v18 = load i64, ptr %v0
  %v19 = load i64, ptr %v7
  %v20 = inttoptr i64 %v19 to ptr
  %v21 = getelementptr i64, ptr %v20, i64 1
  %v22 = load i64, ptr %v21
  %v23 = add i64 20, %v22
  %v24 = inttoptr i64 %v18 to ptr
  %v25 = getelementptr i64, ptr %v24, i64 %v23
  %v26 = load i64, ptr %v25
  store i64 %v26, ptr %v27
  %v28 = load i64, ptr %v4
  %v29 = getelementptr i64, ptr %v20, i64 0
  %v30 = load i64, ptr %v29
  %v31 = getelementptr i64, ptr %v20, i64 2
  %v32 = load i64, ptr %v31
  %v33 = add i64 %v26, %v32
  %v34 = inttoptr i64 %v28 to ptr
  %v35 = getelementptr i64, ptr %v34, i64 %v30
  store i64 %v33, ptr %v35
  %v36 = mul i64 3, 8
  %v37 = add i64 %v19, %v36
  store i64 %v37, ptr %v7
  br label %step12
step12:
  %v38 = add i64 %v15, 1
  store i64 %v38, ptr %v14
  br label %head10
done13:
  %v39 = load i64, ptr %v0
  %v40 = inttoptr i64 %v39 to ptr
  %v41 = getelementptr i64, ptr %v40, i64 8
  %v42 = load i64, ptr %v41
  store i64 %v42, ptr %v7
  %v43 = getelementptr i64, ptr %v40, i64 9
  %v44 = load i64, ptr %v43
  store i64 0, ptr %v49
  br label %head45
head45:
  %v50 = load i64, ptr %v49
  %v51 = icmp slt i64 %v50, %v44
  br i1 %v51, label %body46, label %done48
body46:
  store i64 %v50, ptr %v17
  %v52 = load i64, ptr %v4
  %v53 = load i64, ptr %v7
  %v54 = inttoptr i64 %v53 to ptr
  %v55 = getelementptr i64, ptr %v54, i64 0
  %v56 = load i64, ptr %v55
  %v57 = getelementptr i64, ptr %v54, i64 2
  %v58 = load i64, ptr %v57
  %v59 = inttoptr i64 %v52 to ptr
  %v60 = getelementptr i64, ptr %v59, i64 %v56
  store i64 %v58, ptr %v60
  %v61 = mul i64 3, 8
  %v62 = add i64 %v53, %v61
  store i64 %v62, ptr %v7
  br label %step47
step47:
  %v63 = add i64 %v50, 1
  store i64 %v63, ptr %v49
  br label %head45
done48:
  %v64 = load i64, ptr %v0
  %v65 = inttoptr i64 %v64 to ptr
  %v66 = getelementptr i64, ptr %v65, i64 10
  %v67 = load i64, ptr %v66
  store i64 %v67, ptr %v7
  %v68 = getelementptr i64, ptr %v65, i64 19
  %v69 = load i64, ptr %v68
  store i64 %v69, ptr %v70
  %v71 = getelementptr i64, ptr %v65, i64 11
  %v72 = load i64, ptr %v71
  store i64 0, ptr %v77
  br label %head73
head73:
  %v78 = load i64, ptr %v77
  %v79 = icmp slt i64 %v78, %v72
  br i1 %v79, label %body74, label %done76
body74:
  store i64 %v78, ptr %v17
  %v80 = load i64, ptr %v7
  %v81 = inttoptr i64 %v80 to ptr
  %v82 = getelementptr i64, ptr %v81, i64 0
  %v83 = load i64, ptr %v82
  store i64 %v83, ptr %v84
  %v85 = load i64, ptr %v4
  %v86 = inttoptr i64 %v85 to ptr
  %v87 = getelementptr i64, ptr %v86, i64 %v83
  %v88 = load i64, ptr %v87
  %v89 = load i64, ptr %v70
  %v90 = getelementptr i64, ptr %v81, i64 1
  %v91 = load i64, ptr %v90
  %v92 = inttoptr i64 %v89 to ptr
  %v93 = getelementptr i64, ptr %v92, i64 %v91
  %v94 = load i64, ptr %v93
  %v95 = getelementptr i64, ptr %v81, i64 2
  %v96 = load i64, ptr %v95
  %v97 = mul i64 %v94, %v96
  %v98 = add i64 %v88, %v97
  store i64 %v98, ptr %v87
  %v99 = mul i64 3, 8
  %v100 = add i64 %v80, %v99
  store i64 %v100, ptr %v7
  br label %step75
step75:
  %v101 = add i64 %v78, 1
  store i64 %v101, ptr %v77
  br label %head73
done76:
  ret i64 0
}
define internal i64 @nbgrad.runtime.runner_kernels.chunk_of(i64 %row) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v4 = alloca i64
  store i64 %row, ptr %v0
  %v1 = inttoptr i64 %row to ptr
  %v2 = getelementptr i64, ptr %v1, i64 3
  %v3 = load i64, ptr %v2
  store i64 %v3, ptr %v4
  %v8 = icmp sle i64 %v3, 0
  br i1 %v8, label %then5, label %else6
then5:
  %v9 = load i64, ptr %v0
  %v10 = inttoptr i64 %v9 to ptr
  %v11 = getelementptr i64, ptr %v10, i64 2
  %v12 = load i64, ptr %v11
  store i64 %v12, ptr %v4
  br label %done7
else6:
  br label %done7
done7:
  %v13 = load i64, ptr %v4
  ret i64 %v13
}
define internal {i64, i64} @nbgrad.runtime.runner_kernels.wave_at(i64 %row) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v8 = alloca i64
  store i64 %row, ptr %v0
  store i64 1, ptr %v1
  %v2 = inttoptr i64 %row to ptr
  %v3 = getelementptr i64, ptr %v2, i64 2
  %v4 = load i64, ptr %v3
  %v5 = getelementptr i64, ptr %v2, i64 4
  %v6 = load i64, ptr %v5
  %v7 = mul i64 %v4, %v6
  store i64 %v7, ptr %v8
  br label %head9
head9:
  %v13 = load i64, ptr %v0
  %v14 = inttoptr i64 %v13 to ptr
  %v15 = getelementptr i64, ptr %v14, i64 5
  %v16 = load i64, ptr %v15
  %v17 = and i64 %v16, 2
  %v18 = icmp ne i64 %v17, 0
  br i1 %v18, label %next19, label %known12
next19:
  %v20 = load i64, ptr %v1
  %v21 = icmp slt i64 %v20, 64
  br label %known12
known12:
  %v22 = phi i1 [ false, %head9 ], [ %v21, %next19 ]
  br i1 %v22, label %body10, label %done11
body10:
  %v23 = load i64, ptr %v0
  %v24 = mul i64 6, 8
  %v25 = add i64 %v23, %v24
  store i64 %v25, ptr %v0
  %v26 = load i64, ptr %v8
  %v27 = inttoptr i64 %v25 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 2
  %v29 = load i64, ptr %v28
  %v30 = getelementptr i64, ptr %v27, i64 4
  %v31 = load i64, ptr %v30
  %v32 = mul i64 %v29, %v31
  %v33 = add i64 %v26, %v32
  store i64 %v33, ptr %v8
  %v34 = load i64, ptr %v1
  %v35 = add i64 %v34, 1
  store i64 %v35, ptr %v1
  br label %head9
done11:
  %v36 = load i64, ptr %v1
  %v37 = insertvalue {i64, i64} undef, i64 %v36, 0
  %v38 = load i64, ptr %v8
  %v39 = insertvalue {i64, i64} %v37, i64 %v38, 1
  ret {i64, i64} %v39
}
define internal i64 @nbgrad.runtime.pool_kernels.is_attended(i64 %pool) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v9 = alloca i64
  store i64 %pool, ptr %v0
  %v1 = inttoptr i64 %pool to ptr
  %v2 = getelementptr i64, ptr %v1, i64 33
  %v3 = load atomic i64, ptr %v2 seq_cst, align 8
  %v4 = getelementptr i64, ptr %v1, i64 32
  %v5 = load atomic i64, ptr %v4 seq_cst, align 8
  %v6 = add i64 %v3, %v5
  %v7 = icmp sgt i64 %v6, 0
  %v8 = zext i1 %v7 to i64
  store i64 %v8, ptr %v9
  ret i64 %v8
}
define internal i64 @nbgrad.runtime.pool_kernels.acquired(i64 %pool) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v12 = alloca i64
  store i64 %pool, ptr %v0
  %v4 = inttoptr i64 %pool to ptr
  %v5 = getelementptr i64, ptr %v4, i64 0
  %v6 = atomicrmw xchg ptr %v5, i64 1 seq_cst
  %v7 = icmp ne i64 %v6, 0
  br i1 %v7, label %then1, label %else2
then1:
  ret i64 0
else2:
  br label %done3
done3:
  %v8 = load i64, ptr %v0
  %v9 = inttoptr i64 %v8 to ptr
  %v10 = getelementptr i64, ptr %v9, i64 72
  %v11 = load i64, ptr %v10
  store i64 %v11, ptr %v12
  %v16 = icmp ne i64 %v11, 0
  br i1 %v16, label %then13, label %else14
then13:
  %v20 = load i64, ptr %v0
  %v21 = mul i64 656, 8
  %v22 = add i64 %v20, %v21
  %v23 = call i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %v22)
  %v24 = load i64, ptr %v12
  %v25 = icmp slt i64 %v23, %v24
  br i1 %v25, label %then17, label %else18
then17:
  %v26 = load i64, ptr %v0
  %v27 = inttoptr i64 %v26 to ptr
  %v28 = getelementptr i64, ptr %v27, i64 0
  store atomic i64 0, ptr %v28 seq_cst, align 8
  ret i64 0
else18:
  br label %done19
done19:
  %v29 = load i64, ptr %v0
  %v30 = inttoptr i64 %v29 to ptr
  %v31 = getelementptr i64, ptr %v30, i64 72
  store i64 0, ptr %v31
  br label %done15
else14:
  br label %done15
done15:
  ret i64 1
}
define internal i64 @nbgrad.runtime.runner_kernels.add_wave(i64 %pool, i64 %row, i64 %count, i64 %desc_base, i64 %threads) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v5 = alloca i64
  %v10 = alloca i64
  %v13 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %row, ptr %v1
  store i64 %count, ptr %v2
  store i64 %desc_base, ptr %v3
  store i64 %threads, ptr %v4
  store i64 0, ptr %v5
  store i64 0, ptr %v10
  br label %head6
head6:
  %v11 = load i64, ptr %v10
  %v12 = icmp slt i64 %v11, %count
  br i1 %v12, label %body7, label %done9
body7:
  store i64 %v11, ptr %v13
  %v14 = load i64, ptr %v0
  %v15 = load i64, ptr %v1
  %v16 = load i64, ptr %v3
  %v17 = inttoptr i64 %v15 to ptr
  %v18 = getelementptr i64, ptr %v17, i64 2
  %v19 = load i64, ptr %v18
  %v20 = load i64, ptr %v4
  %v21 = call i64 @nbgrad.runtime.runner_kernels.add_row(i64 %v14, i64 %v11, i64 %v15, i64 %v16, i64 0, i64 %v19, i64 %v20)
  store i64 %v21, ptr %v5
  %v22 = mul i64 6, 8
  %v23 = add i64 %v15, %v22
  store i64 %v23, ptr %v1
  br label %step8
step8:
  %v24 = add i64 %v11, 1
  store i64 %v24, ptr %v10
  br label %head6
done9:
  %v25 = load i64, ptr %v5
  ret i64 %v25
}
define internal i64 @nbgrad.runtime.runner_kernels.add_row(i64 %pool, i64 %at, i64 %row, i64 %desc_base, i64 %begin, i64 %end, i64 %threads) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v5 = alloca i64
  %v6 = alloca i64
  %v7 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %at, ptr %v1
  store i64 %row, ptr %v2
  store i64 %desc_base, ptr %v3
  store i64 %begin, ptr %v4
  store i64 %end, ptr %v5
  store i64 %threads, ptr %v6
  store i64 %end, ptr %v7
  %v11 = inttoptr i64 %row to ptr
  %v12 = getelementptr i64, ptr %v11, i64 5
  %v13 = load i64, ptr %v12
  %v14 = and i64 %v13, 1
  %v15 = icmp ne i64 %v14, 0
  br i1 %v15, label %then8, label %else9
then8:
  %v16 = load i64, ptr %v5
  %v17 = load i64, ptr %v4
  %v18 = sub i64 %v16, %v17
  %v19 = load i64, ptr %v2
  %v20 = call i64 @nbgrad.runtime.runner_kernels.chunk_of(i64 %v19)
  %v21 = inttoptr i64 %v19 to ptr
  %v22 = getelementptr i64, ptr %v21, i64 4
  %v23 = load i64, ptr %v22
  %v24 = icmp sgt i64 %v23, 1
  %v25 = select i1 %v24, i64 %v23, i64 1
  %v26 = load i64, ptr %v6
  %v27 = call i64 @nbgrad.runtime.pool_kernels.part_size(i64 %v18, i64 %v20, i64 %v25, i64 %v26)
  store i64 %v27, ptr %v7
  br label %done10
else9:
  br label %done10
done10:
  %v28 = load i64, ptr %v0
  %v29 = load i64, ptr %v1
  %v30 = load i64, ptr %v2
  %v31 = inttoptr i64 %v30 to ptr
  %v32 = getelementptr i64, ptr %v31, i64 0
  %v33 = load i64, ptr %v32
  %v34 = load i64, ptr %v3
  %v35 = getelementptr i64, ptr %v31, i64 1
  %v36 = load i64, ptr %v35
  %v37 = mul i64 %v36, 8
  %v38 = add i64 %v34, %v37
  %v39 = load i64, ptr %v4
  %v40 = load i64, ptr %v5
  %v41 = load i64, ptr %v7
  %v42 = call i64 @nbgrad.runtime.pool_kernels.add_line(i64 %v28, i64 %v29, i64 %v33, i64 %v38, i64 %v39, i64 %v40, i64 %v41)
  ret i64 %v42
}
define internal i64 @nbgrad.runtime.pool_kernels.share(i64 %pool, i64 %parts, i64 %worth) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v14 = alloca i64
  %v27 = alloca i64
  %v49 = alloca i64
  %v67 = alloca i64
  %v72 = alloca i64
  %v75 = alloca i64
  %v93 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %parts, ptr %v1
  store i64 %worth, ptr %v2
  %v3 = inttoptr i64 %pool to ptr
  %v4 = getelementptr i64, ptr %v3, i64 17
  store atomic i64 4611686018427387904, ptr %v4 seq_cst, align 8
  %v5 = call i64 @nbgrad.runtime.pool_kernels.open_shares(i64 %pool, i64 %parts)
  %v6 = getelementptr i64, ptr %v3, i64 18
  %v7 = atomicrmw add ptr %v6, i64 1 seq_cst
  %v8 = sub i64 0, 4294967296
  %v9 = getelementptr i64, ptr %v3, i64 8
  %v10 = atomicrmw add ptr %v9, i64 %v8 seq_cst
  %v11 = mul i64 656, 8
  %v12 = add i64 %pool, %v11
  %v13 = call i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %v12)
  store i64 %v13, ptr %v14
  %v18 = getelementptr i64, ptr %v3, i64 74
  %v19 = load i64, ptr %v18
  %v20 = sub i64 %v13, %v19
  %v21 = icmp sgt i64 %v20, 10000000
  br i1 %v21, label %then15, label %else16
then15:
  %v22 = load i64, ptr %v0
  %v23 = load i64, ptr %v14
  %v24 = inttoptr i64 %v22 to ptr
  %v25 = getelementptr i64, ptr %v24, i64 74
  store i64 %v23, ptr %v25
  %v26 = call i64 @nbgrad_sched_getcpu()
  store i64 %v26, ptr %v27
  %v32 = icmp sge i64 %v26, 0
  br i1 %v32, label %next33, label %known31
next33:
  %v34 = load i64, ptr %v27
  %v35 = mul i64 16, 64
  %v36 = icmp slt i64 %v34, %v35
  br label %known31
known31:
  %v37 = phi i1 [ false, %then15 ], [ %v36, %next33 ]
  br i1 %v37, label %then28, label %else29
then28:
  %v38 = load i64, ptr %v0
  %v39 = load i64, ptr %v27
  %v40 = call i64 @nbgrad.runtime.pool_kernels.keep_off(i64 %v38, i64 %v39)
  br label %done30
else29:
  br label %done30
done30:
  br label %done17
else16:
  br label %done17
done17:
  %v41 = load i64, ptr %v0
  %v42 = inttoptr i64 %v41 to ptr
  %v43 = getelementptr i64, ptr %v42, i64 24
  %v44 = load i64, ptr %v43
  %v45 = load i64, ptr %v1
  %v46 = sub i64 %v45, 1
  %v47 = icmp slt i64 %v44, %v46
  %v48 = select i1 %v47, i64 %v44, i64 %v46
  store i64 %v48, ptr %v49
  %v50 = load i64, ptr %v2
  %v51 = sdiv i64 %v50, 45000000
  %v52 = srem i64 %v50, 45000000
  %v53 = xor i64 %v52, 45000000
  %v54 = icmp slt i64 %v53, 0
  %v55 = icmp ne i64 %v52, 0
  %v56 = and i1 %v54, %v55
  %v57 = zext i1 %v56 to i64
  %v58 = sub i64 %v51, %v57
  %v59 = icmp slt i64 %v48, %v58
  %v60 = select i1 %v59, i64 %v48, i64 %v58
  %v61 = getelementptr i64, ptr %v42, i64 32
  %v62 = load atomic i64, ptr %v61 seq_cst, align 8
  %v63 = sub i64 %v60, %v62
  %v64 = getelementptr i64, ptr %v42, i64 33
  %v65 = load atomic i64, ptr %v64 seq_cst, align 8
  %v66 = sub i64 %v63, %v65
  store i64 %v66, ptr %v67
  store i64 0, ptr %v72
  br label %head68
head68:
  %v73 = load i64, ptr %v72
  %v74 = icmp slt i64 %v73, %v66
  br i1 %v74, label %body69, label %done71
body69:
  store i64 %v73, ptr %v75
  %v76 = load i64, ptr %v0
  %v77 = inttoptr i64 %v76 to ptr
  %v78 = getelementptr i64, ptr %v77, i64 32
  %v79 = atomicrmw add ptr %v78, i64 1 seq_cst
  %v80 = getelementptr i64, ptr %v77, i64 25
  %v81 = load i64, ptr %v80
  %v82 = call i64 @nbgrad_sem_post(i64 %v81)
  br label %step70
step70:
  %v83 = add i64 %v73, 1
  store i64 %v83, ptr %v72
  br label %head68
done71:
  %v84 = load i64, ptr %v0
  %v85 = call i64 @nbgrad.runtime.pool_kernels.take_parts(i64 %v84, i64 0)
  %v86 = inttoptr i64 %v84 to ptr
  %v87 = getelementptr i64, ptr %v86, i64 8
  %v88 = atomicrmw add ptr %v87, i64 4294967296 seq_cst
  %v89 = load i64, ptr %v14
  %v90 = call i64 @nbgrad.runtime.pool_kernels.wait_for_workers(i64 %v84, i64 %v89)
  %v91 = getelementptr i64, ptr %v86, i64 17
  %v92 = load atomic i64, ptr %v91 seq_cst, align 8
  store i64 %v92, ptr %v93
  ret i64 %v92
}
define internal i64 @nbgrad.runtime.pool_kernels.line_of(i64 %pool, i64 %part) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %part, ptr %v1
  store i64 0, ptr %v2
  br label %head3
head3:
  %v6 = load i64, ptr %v1
  %v7 = load i64, ptr %v0
  %v8 = load i64, ptr %v2
  %v9 = mul i64 %v8, 8
  %v10 = add i64 144, %v9
  %v11 = add i64 %v10, 6
  %v12 = inttoptr i64 %v7 to ptr
  %v13 = getelementptr i64, ptr %v12, i64 %v11
  %v14 = load i64, ptr %v13
  %v15 = icmp sge i64 %v6, %v14
  br i1 %v15, label %body4, label %done5
body4:
  %v16 = load i64, ptr %v2
  %v17 = add i64 %v16, 1
  store i64 %v17, ptr %v2
  br label %head3
done5:
  %v18 = load i64, ptr %v2
  ret i64 %v18
}
define internal i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %own) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v16 = alloca i64
  store i64 %own, ptr %v0
  %v1 = inttoptr i64 %own to ptr
  %v2 = getelementptr i64, ptr %v1, i64 0
  %v3 = load i64, ptr %v2
  %v4 = inttoptr i64 %v3 to ptr
  %v5 = getelementptr i64, ptr %v4, i64 28
  %v6 = load i64, ptr %v5
  %v7 = mul i64 1, 8
  %v8 = add i64 %own, %v7
  %v9 = call i64 @nbgrad_clock_gettime(i64 %v6, i64 %v8)
  %v10 = getelementptr i64, ptr %v1, i64 1
  %v11 = load i64, ptr %v10
  %v12 = mul i64 %v11, 1000000000
  %v13 = getelementptr i64, ptr %v1, i64 2
  %v14 = load i64, ptr %v13
  %v15 = add i64 %v12, %v14
  store i64 %v15, ptr %v16
  ret i64 %v15
}
define internal i64 @nbgrad.runtime.pool_kernels.has_job(i64 %pool, i64 %last) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v16 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %last, ptr %v1
  %v3 = inttoptr i64 %pool to ptr
  %v4 = getelementptr i64, ptr %v3, i64 8
  %v5 = load atomic i64, ptr %v4 seq_cst, align 8
  %v6 = icmp slt i64 %v5, 4294967296
  br i1 %v6, label %next7, label %known2
next7:
  %v8 = load i64, ptr %v0
  %v9 = inttoptr i64 %v8 to ptr
  %v10 = getelementptr i64, ptr %v9, i64 18
  %v11 = load atomic i64, ptr %v10 seq_cst, align 8
  %v12 = load i64, ptr %v1
  %v13 = icmp ne i64 %v11, %v12
  br label %known2
known2:
  %v14 = phi i1 [ false, %entry ], [ %v13, %next7 ]
  %v15 = zext i1 %v14 to i64
  store i64 %v15, ptr %v16
  ret i64 %v15
}
define internal i64 @nbgrad.runtime.pool_kernels.take_share(i64 %pool, i64 %at) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v4 = alloca i64
  %v7 = alloca i64
  %v13 = alloca i64
  %v53 = alloca i64
  %v62 = alloca i64
  %v68 = alloca i64
  %v77 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %at, ptr %v1
  %v2 = add i64 %at, 1
  %v3 = call i64 @nbgrad.runtime.pool_kernels.share_begin(i64 %pool, i64 %v2)
  store i64 %v3, ptr %v4
  %v5 = mul i64 144, 8
  %v6 = add i64 %pool, %v5
  store i64 %v6, ptr %v7
  %v8 = mul i64 %at, 8
  %v9 = add i64 80, %v8
  %v10 = inttoptr i64 %pool to ptr
  %v11 = getelementptr i64, ptr %v10, i64 %v9
  %v12 = atomicrmw add ptr %v11, i64 1 seq_cst
  store i64 %v12, ptr %v13
  br label %head14
head14:
  %v17 = load i64, ptr %v13
  %v18 = load i64, ptr %v4
  %v19 = icmp slt i64 %v17, %v18
  br i1 %v19, label %body15, label %done16
body15:
  br label %head20
head20:
  %v23 = load i64, ptr %v13
  %v24 = load i64, ptr %v7
  %v25 = inttoptr i64 %v24 to ptr
  %v26 = getelementptr i64, ptr %v25, i64 6
  %v27 = load i64, ptr %v26
  %v28 = icmp sge i64 %v23, %v27
  br i1 %v28, label %body21, label %done22
body21:
  %v29 = load i64, ptr %v7
  %v30 = mul i64 8, 8
  %v31 = add i64 %v29, %v30
  store i64 %v31, ptr %v7
  br label %head20
done22:
  %v35 = load i64, ptr %v13
  %v36 = load i64, ptr %v0
  %v37 = inttoptr i64 %v36 to ptr
  %v38 = getelementptr i64, ptr %v37, i64 17
  %v39 = load atomic i64, ptr %v38 seq_cst, align 8
  %v40 = sdiv i64 %v39, 256
  %v41 = srem i64 %v39, 256
  %v42 = xor i64 %v41, 256
  %v43 = icmp slt i64 %v42, 0
  %v44 = icmp ne i64 %v41, 0
  %v45 = and i1 %v43, %v44
  %v46 = zext i1 %v45 to i64
  %v47 = sub i64 %v40, %v46
  %v48 = icmp slt i64 %v35, %v47
  br i1 %v48, label %then32, label %else33
then32:
  %v49 = load i64, ptr %v7
  %v50 = inttoptr i64 %v49 to ptr
  %v51 = getelementptr i64, ptr %v50, i64 4
  %v52 = load i64, ptr %v51
  store i64 %v52, ptr %v53
  %v54 = getelementptr i64, ptr %v50, i64 2
  %v55 = load i64, ptr %v54
  %v56 = load i64, ptr %v13
  %v57 = getelementptr i64, ptr %v50, i64 5
  %v58 = load i64, ptr %v57
  %v59 = sub i64 %v56, %v58
  %v60 = mul i64 %v59, %v52
  %v61 = add i64 %v55, %v60
  store i64 %v61, ptr %v62
  %v63 = add i64 %v61, %v52
  %v64 = getelementptr i64, ptr %v50, i64 3
  %v65 = load i64, ptr %v64
  %v66 = icmp slt i64 %v63, %v65
  %v67 = select i1 %v66, i64 %v63, i64 %v65
  store i64 %v67, ptr %v68
  %v69 = getelementptr i64, ptr %v50, i64 0
  %v70 = load i64, ptr %v69
  %v71 = getelementptr i64, ptr %v50, i64 1
  %v72 = load i64, ptr %v71
  %v73 = inttoptr i64 %v70 to ptr
  %v74 = inttoptr i64 %v72 to ptr
  %v75 = call i32 %v73(ptr %v74, i64 %v61, i64 %v67)
  %v76 = sext i32 %v75 to i64
  store i64 %v76, ptr %v77
  %v81 = icmp ne i64 %v76, 0
  br i1 %v81, label %then78, label %else79
then78:
  %v82 = load i64, ptr %v0
  %v83 = load i64, ptr %v13
  %v84 = mul i64 %v83, 256
  %v85 = load i64, ptr %v77
  %v86 = add i64 %v84, %v85
  %v87 = inttoptr i64 %v82 to ptr
  %v88 = getelementptr i64, ptr %v87, i64 17
  %v89 = atomicrmw min ptr %v88, i64 %v86 seq_cst
  br label %done80
else79:
  br label %done80
done80:
  br label %done34
else33:
  br label %done34
done34:
  %v90 = load i64, ptr %v0
  %v91 = load i64, ptr %v1
  %v92 = mul i64 %v91, 8
  %v93 = add i64 80, %v92
  %v94 = inttoptr i64 %v90 to ptr
  %v95 = getelementptr i64, ptr %v94, i64 %v93
  %v96 = atomicrmw add ptr %v95, i64 1 seq_cst
  store i64 %v96, ptr %v13
  br label %head14
done16:
  ret i64 0
}
define internal i64 @nbgrad.runtime.pool_kernels.part_size(i64 %items, i64 %chunk, i64 %cost, i64 %threads) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v15 = alloca i64
  %v27 = alloca i64
  %v61 = alloca i64
  store i64 %items, ptr %v0
  store i64 %chunk, ptr %v1
  store i64 %cost, ptr %v2
  store i64 %threads, ptr %v3
  %v4 = sub i64 %items, 1
  %v5 = mul i64 %threads, 4
  %v6 = sdiv i64 %v4, %v5
  %v7 = srem i64 %v4, %v5
  %v8 = xor i64 %v7, %v5
  %v9 = icmp slt i64 %v8, 0
  %v10 = icmp ne i64 %v7, 0
  %v11 = and i1 %v9, %v10
  %v12 = zext i1 %v11 to i64
  %v13 = sub i64 %v6, %v12
  %v14 = add i64 %v13, 1
  store i64 %v14, ptr %v15
  %v16 = sdiv i64 1000000, %cost
  %v17 = srem i64 1000000, %cost
  %v18 = xor i64 %v17, %cost
  %v19 = icmp slt i64 %v18, 0
  %v20 = icmp ne i64 %v17, 0
  %v21 = and i1 %v19, %v20
  %v22 = zext i1 %v21 to i64
  %v23 = sub i64 %v16, %v22
  %v24 = add i64 %v23, 1
  %v25 = icmp sgt i64 %v14, %v24
  %v26 = select i1 %v25, i64 %v14, i64 %v24
  store i64 %v26, ptr %v27
  %v31 = mul i64 4, 64
  %v32 = icmp sgt i64 %v26, %v31
  br i1 %v32, label %then28, label %else29
then28:
  %v33 = load i64, ptr %v27
  %v34 = add i64 %v33, 64
  %v35 = sub i64 %v34, 1
  %v36 = sdiv i64 %v35, 64
  %v37 = srem i64 %v35, 64
  %v38 = xor i64 %v37, 64
  %v39 = icmp slt i64 %v38, 0
  %v40 = icmp ne i64 %v37, 0
  %v41 = and i1 %v39, %v40
  %v42 = zext i1 %v41 to i64
  %v43 = sub i64 %v36, %v42
  %v44 = mul i64 %v43, 64
  store i64 %v44, ptr %v27
  br label %done30
else29:
  br label %done30
done30:
  %v45 = load i64, ptr %v27
  %v46 = load i64, ptr %v2
  %v47 = sdiv i64 100000000, %v46
  %v48 = srem i64 100000000, %v46
  %v49 = xor i64 %v48, %v46
  %v50 = icmp slt i64 %v49, 0
  %v51 = icmp ne i64 %v48, 0
  %v52 = and i1 %v50, %v51
  %v53 = zext i1 %v52 to i64
  %v54 = sub i64 %v47, %v53
  %v55 = add i64 %v54, 1
  %v56 = icmp slt i64 %v45, %v55
  %v57 = select i1 %v56, i64 %v45, i64 %v55
  %v58 = load i64, ptr %v1
  %v59 = icmp slt i64 %v57, %v58
  %v60 = select i1 %v59, i64 %v57, i64 %v58
  store i64 %v60, ptr %v61
  ret i64 %v60
}
define internal i64 @nbgrad.runtime.pool_kernels.add_line(i64 %pool, i64 %at, i64 %kernel, i64 %desc, i64 %begin, i64 %end, i64 %step) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v3 = alloca i64
  %v4 = alloca i64
  %v5 = alloca i64
  %v6 = alloca i64
  %v11 = alloca i64
  %v12 = alloca i64
  %v23 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %at, ptr %v1
  store i64 %kernel, ptr %v2
  store i64 %desc, ptr %v3
  store i64 %begin, ptr %v4
  store i64 %end, ptr %v5
  store i64 %step, ptr %v6
  %v7 = mul i64 %at, 8
  %v8 = add i64 144, %v7
  %v9 = mul i64 %v8, 8
  %v10 = add i64 %pool, %v9
  store i64 %v10, ptr %v11
  store i64 0, ptr %v12
  %v16 = icmp sgt i64 %at, 0
  br i1 %v16, label %then13, label %else14
then13:
  %v17 = load i64, ptr %v11
  %v18 = sub i64 6, 8
  %v19 = inttoptr i64 %v17 to ptr
  %v20 = getelementptr i64, ptr %v19, i64 %v18
  %v21 = load i64, ptr %v20
  store i64 %v21, ptr %v12
  br label %done15
else14:
  br label %done15
done15:
  %v22 = load i64, ptr %v12
  store i64 %v22, ptr %v23
  %v27 = load i64, ptr %v5
  %v28 = load i64, ptr %v4
  %v29 = icmp sgt i64 %v27, %v28
  br i1 %v29, label %then24, label %else25
then24:
  %v30 = load i64, ptr %v23
  %v31 = load i64, ptr %v5
  %v32 = load i64, ptr %v4
  %v33 = sub i64 %v31, %v32
  %v34 = sub i64 %v33, 1
  %v35 = load i64, ptr %v6
  %v36 = sdiv i64 %v34, %v35
  %v37 = srem i64 %v34, %v35
  %v38 = xor i64 %v37, %v35
  %v39 = icmp slt i64 %v38, 0
  %v40 = icmp ne i64 %v37, 0
  %v41 = and i1 %v39, %v40
  %v42 = zext i1 %v41 to i64
  %v43 = sub i64 %v36, %v42
  %v44 = add i64 %v43, 1
  %v45 = add i64 %v30, %v44
  store i64 %v45, ptr %v23
  br label %done26
else25:
  br label %done26
done26:
  %v46 = load i64, ptr %v11
  %v47 = load i64, ptr %v2
  %v48 = inttoptr i64 %v46 to ptr
  %v49 = getelementptr i64, ptr %v48, i64 0
  store i64 %v47, ptr %v49
  %v50 = load i64, ptr %v3
  %v51 = getelementptr i64, ptr %v48, i64 1
  store i64 %v50, ptr %v51
  %v52 = load i64, ptr %v4
  %v53 = getelementptr i64, ptr %v48, i64 2
  store i64 %v52, ptr %v53
  %v54 = load i64, ptr %v5
  %v55 = getelementptr i64, ptr %v48, i64 3
  store i64 %v54, ptr %v55
  %v56 = load i64, ptr %v6
  %v57 = getelementptr i64, ptr %v48, i64 4
  store i64 %v56, ptr %v57
  %v58 = load i64, ptr %v12
  %v59 = getelementptr i64, ptr %v48, i64 5
  store i64 %v58, ptr %v59
  %v60 = load i64, ptr %v23
  %v61 = getelementptr i64, ptr %v48, i64 6
  store i64 %v60, ptr %v61
  ret i64 %v60
}
define internal i64 @nbgrad.runtime.pool_kernels.open_shares(i64 %pool, i64 %parts) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v10 = alloca i64
  %v17 = alloca i64
  %v20 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %parts, ptr %v1
  %v2 = inttoptr i64 %pool to ptr
  %v3 = getelementptr i64, ptr %v2, i64 24
  %v4 = load i64, ptr %v3
  %v5 = add i64 %v4, 1
  %v6 = icmp slt i64 %v5, %parts
  %v7 = select i1 %v6, i64 %v5, i64 %parts
  %v8 = icmp slt i64 %v7, 8
  %v9 = select i1 %v8, i64 %v7, i64 8
  store i64 %v9, ptr %v10
  %v11 = getelementptr i64, ptr %v2, i64 16
  store i64 %parts, ptr %v11
  %v12 = getelementptr i64, ptr %v2, i64 19
  store i64 %v9, ptr %v12
  store i64 0, ptr %v17
  br label %head13
head13:
  %v18 = load i64, ptr %v17
  %v19 = icmp slt i64 %v18, %v9
  br i1 %v19, label %body14, label %done16
body14:
  store i64 %v18, ptr %v20
  %v21 = load i64, ptr %v0
  %v22 = mul i64 %v18, 8
  %v23 = add i64 80, %v22
  %v24 = call i64 @nbgrad.runtime.pool_kernels.share_begin(i64 %v21, i64 %v18)
  %v25 = inttoptr i64 %v21 to ptr
  %v26 = getelementptr i64, ptr %v25, i64 %v23
  store atomic i64 %v24, ptr %v26 seq_cst, align 8
  br label %step15
step15:
  %v27 = add i64 %v18, 1
  store i64 %v27, ptr %v17
  br label %head13
done16:
  ret i64 0
}
define internal i64 @nbgrad.runtime.pool_kernels.keep_off(i64 %pool, i64 %cpu) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v16 = alloca i64
  %v17 = alloca i64
  %v22 = alloca i64
  %v25 = alloca i64
  %v31 = alloca i64
  %v54 = alloca i64
  %v59 = alloca i64
  %v117 = alloca i64
  %v128 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %cpu, ptr %v1
  %v5 = inttoptr i64 %pool to ptr
  %v6 = getelementptr i64, ptr %v5, i64 75
  %v7 = load i64, ptr %v6
  %v8 = mul i64 16, 8
  %v9 = mul i64 40, 8
  %v10 = add i64 %pool, %v9
  %v11 = call i64 @nbgrad_sched_getaffinity(i64 %v7, i64 %v8, i64 %v10)
  %v12 = icmp slt i64 %v11, 0
  br i1 %v12, label %then2, label %else3
then2:
  ret i64 0
else3:
  br label %done4
done4:
  %v13 = load i64, ptr %v1
  %v14 = and i64 %v13, 63
  %v15 = shl i64 1, %v14
  store i64 %v15, ptr %v16
  store i64 0, ptr %v17
  store i64 0, ptr %v22
  br label %head18
head18:
  %v23 = load i64, ptr %v22
  %v24 = icmp slt i64 %v23, 16
  br i1 %v24, label %body19, label %done21
body19:
  store i64 %v23, ptr %v25
  %v26 = load i64, ptr %v0
  %v27 = add i64 40, %v23
  %v28 = inttoptr i64 %v26 to ptr
  %v29 = getelementptr i64, ptr %v28, i64 %v27
  %v30 = load i64, ptr %v29
  store i64 %v30, ptr %v31
  %v35 = load i64, ptr %v1
  %v36 = sdiv i64 %v35, 64
  %v37 = srem i64 %v35, 64
  %v38 = xor i64 %v37, 64
  %v39 = icmp slt i64 %v38, 0
  %v40 = icmp ne i64 %v37, 0
  %v41 = and i1 %v39, %v40
  %v42 = zext i1 %v41 to i64
  %v43 = sub i64 %v36, %v42
  %v44 = icmp eq i64 %v23, %v43
  br i1 %v44, label %then32, label %else33
then32:
  %v45 = load i64, ptr %v31
  %v46 = sub i64 0, 1
  %v47 = load i64, ptr %v16
  %v48 = xor i64 %v46, %v47
  %v49 = and i64 %v45, %v48
  store i64 %v49, ptr %v31
  br label %done34
else33:
  br label %done34
done34:
  %v50 = load i64, ptr %v17
  %v51 = load i64, ptr %v31
  %v52 = or i64 %v50, %v51
  store i64 %v52, ptr %v17
  br label %step20
step20:
  %v53 = add i64 %v23, 1
  store i64 %v53, ptr %v22
  br label %head18
done21:
  store i64 0, ptr %v54
  store i64 0, ptr %v59
  br label %head55
head55:
  %v60 = load i64, ptr %v59
  %v61 = icmp slt i64 %v60, 16
  br i1 %v61, label %body56, label %done58
body56:
  store i64 %v60, ptr %v25
  %v62 = load i64, ptr %v0
  %v63 = add i64 40, %v60
  %v64 = inttoptr i64 %v62 to ptr
  %v65 = getelementptr i64, ptr %v64, i64 %v63
  %v66 = load i64, ptr %v65
  store i64 %v66, ptr %v31
  %v71 = load i64, ptr %v17
  %v72 = icmp ne i64 %v71, 0
  br i1 %v72, label %next73, label %known70
next73:
  %v74 = load i64, ptr %v25
  %v75 = load i64, ptr %v1
  %v76 = sdiv i64 %v75, 64
  %v77 = srem i64 %v75, 64
  %v78 = xor i64 %v77, 64
  %v79 = icmp slt i64 %v78, 0
  %v80 = icmp ne i64 %v77, 0
  %v81 = and i1 %v79, %v80
  %v82 = zext i1 %v81 to i64
  %v83 = sub i64 %v76, %v82
  %v84 = icmp eq i64 %v74, %v83
  br label %known70
known70:
  %v85 = phi i1 [ false, %body56 ], [ %v84, %next73 ]
  br i1 %v85, label %then67, label %else68
then67:
  %v86 = load i64, ptr %v31
  %v87 = sub i64 0, 1
  %v88 = load i64, ptr %v16
  %v89 = xor i64 %v87, %v88
  %v90 = and i64 %v86, %v89
  store i64 %v90, ptr %v31
  br label %done69
else68:
  br label %done69
done69:
  %v91 = load i64, ptr %v54
  %v92 = load i64, ptr %v31
  %v93 = load i64, ptr %v0
  %v94 = load i64, ptr %v25
  %v95 = add i64 56, %v94
  %v96 = inttoptr i64 %v93 to ptr
  %v97 = getelementptr i64, ptr %v96, i64 %v95
  %v98 = load i64, ptr %v97
  %v99 = xor i64 %v92, %v98
  %v100 = or i64 %v91, %v99
  store i64 %v100, ptr %v54
  %v101 = add i64 56, %v94
  %v102 = getelementptr i64, ptr %v96, i64 %v101
  store i64 %v92, ptr %v102
  br label %step57
step57:
  %v103 = add i64 %v60, 1
  store i64 %v103, ptr %v59
  br label %head55
done58:
  %v107 = load i64, ptr %v54
  %v108 = icmp ne i64 %v107, 0
  br i1 %v108, label %then104, label %else105
then104:
  %v109 = load i64, ptr %v0
  %v110 = inttoptr i64 %v109 to ptr
  %v111 = getelementptr i64, ptr %v110, i64 24
  %v112 = load i64, ptr %v111
  store i64 0, ptr %v117
  br label %head113
head113:
  %v118 = load i64, ptr %v117
  %v119 = icmp slt i64 %v118, %v112
  br i1 %v119, label %body114, label %done116
body114:
  store i64 %v118, ptr %v25
  %v120 = load i64, ptr %v0
  %v121 = add i64 %v118, 1
  %v122 = mul i64 %v121, 8
  %v123 = add i64 656, %v122
  %v124 = add i64 %v123, 3
  %v125 = inttoptr i64 %v120 to ptr
  %v126 = getelementptr i64, ptr %v125, i64 %v124
  %v127 = load i64, ptr %v126
  store i64 %v127, ptr %v128
  %v129 = mul i64 16, 8
  %v130 = mul i64 56, 8
  %v131 = add i64 %v120, %v130
  %v132 = call i64 @nbgrad_sched_setaffinity(i64 %v127, i64 %v129, i64 %v131)
  br label %step115
step115:
  %v133 = add i64 %v118, 1
  store i64 %v133, ptr %v117
  br label %head113
done116:
  br label %done106
else105:
  br label %done106
done106:
  ret i64 0
}
define internal i64 @nbgrad.runtime.pool_kernels.wait_for_workers(i64 %pool, i64 %job_begin) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v2 = alloca i64
  %v30 = alloca i64
  %v32 = alloca i64
  %v44 = alloca i64
  %v68 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %job_begin, ptr %v1
  store i64 0, ptr %v2
  br label %head3
head3:
  %v7 = load i64, ptr %v0
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i64, ptr %v8, i64 8
  %v10 = load atomic i64, ptr %v9 seq_cst, align 8
  %v11 = icmp ne i64 %v10, 4294967296
  br i1 %v11, label %next12, label %known6
next12:
  %v13 = load i64, ptr %v2
  %v14 = icmp slt i64 %v13, 100
  br label %known6
known6:
  %v15 = phi i1 [ false, %head3 ], [ %v14, %next12 ]
  br i1 %v15, label %body4, label %done5
body4:
  %v16 = call i64 @nbgrad_pause()
  %v17 = load i64, ptr %v2
  %v18 = add i64 %v17, 1
  store i64 %v18, ptr %v2
  br label %head3
done5:
  %v22 = load i64, ptr %v0
  %v23 = inttoptr i64 %v22 to ptr
  %v24 = getelementptr i64, ptr %v23, i64 8
  %v25 = load atomic i64, ptr %v24 seq_cst, align 8
  %v26 = icmp eq i64 %v25, 4294967296
  br i1 %v26, label %then19, label %else20
then19:
  ret i64 0
else20:
  br label %done21
done21:
  %v27 = load i64, ptr %v0
  %v28 = mul i64 656, 8
  %v29 = add i64 %v27, %v28
  store i64 %v29, ptr %v30
  %v31 = call i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %v29)
  store i64 %v31, ptr %v32
  br label %head33
head33:
  %v36 = load i64, ptr %v0
  %v37 = inttoptr i64 %v36 to ptr
  %v38 = getelementptr i64, ptr %v37, i64 8
  %v39 = load atomic i64, ptr %v38 seq_cst, align 8
  %v40 = icmp ne i64 %v39, 4294967296
  br i1 %v40, label %body34, label %done35
body34:
  %v41 = call i64 @nbgrad_sched_yield()
  br label %head33
done35:
  %v42 = load i64, ptr %v30
  %v43 = call i64 @nbgrad.runtime.pool_kernels.now_ns(i64 %v42)
  store i64 %v43, ptr %v44
  %v48 = load i64, ptr %v32
  %v49 = sub i64 %v43, %v48
  %v50 = load i64, ptr %v1
  %v51 = sub i64 %v48, %v50
  %v52 = icmp sgt i64 300000, %v51
  %v53 = select i1 %v52, i64 300000, i64 %v51
  %v54 = icmp sgt i64 %v49, %v53
  br i1 %v54, label %then45, label %else46
then45:
  %v55 = load i64, ptr %v44
  %v56 = load i64, ptr %v32
  %v57 = sub i64 %v55, %v56
  %v58 = mul i64 %v57, 8
  %v59 = load i64, ptr %v0
  %v60 = inttoptr i64 %v59 to ptr
  %v61 = getelementptr i64, ptr %v60, i64 73
  %v62 = load i64, ptr %v61
  %v63 = sub i64 %v56, %v62
  %v64 = sub i64 %v58, %v63
  %v65 = icmp sgt i64 %v64, 0
  %v66 = select i1 %v65, i64 %v64, i64 0
  %v67 = add i64 %v55, %v66
  store i64 %v67, ptr %v68
  store i64 %v67, ptr %v61
  %v69 = getelementptr i64, ptr %v60, i64 72
  store i64 %v67, ptr %v69
  br label %done47
else46:
  br label %done47
done47:
  ret i64 0
}
define internal i64 @nbgrad.runtime.pool_kernels.share_begin(i64 %pool, i64 %at) nounwind "no-jump-tables"="true" {
entry:
  %v0 = alloca i64
  %v1 = alloca i64
  %v16 = alloca i64
  store i64 %pool, ptr %v0
  store i64 %at, ptr %v1
  %v2 = inttoptr i64 %pool to ptr
  %v3 = getelementptr i64, ptr %v2, i64 16
  %v4 = load i64, ptr %v3
  %v5 = mul i64 %v4, %at
  %v6 = getelementptr i64, ptr %v2, i64 19
  %v7 = load i64, ptr %v6
  %v8 = sdiv i64 %v5, %v7
  %v9 = srem i64 %v5, %v7
  %v10 = xor i64 %v9, %v7
  %v11 = icmp slt i64 %v10, 0
  %v12 = icmp ne i64 %v9, 0
  %v13 = and i1 %v11, %v12
  %v14 = zext i1 %v13 to i64
  %v15 = sub i64 %v8, %v14
  store i64 %v15, ptr %v16
  ret i64 %v15
}
