; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @fourier_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [3 x i64], align 8
  %v5 = alloca [3 x i64], align 8
  %v6 = alloca [5 x i64], align 8
  %v7 = inttoptr i64 %v0 to ptr
  %v8 = getelementptr i8, ptr %v7, i64 72
  %v9 = load i64, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %v7, i64 40
  %v11 = load i64, ptr %v10, align 8
  %v12 = mul i64 %v11, %v1
  %v13 = add i64 %v12, %v9
  store i64 %v13, ptr %v4, align 8
  %v14 = getelementptr i8, ptr %v7, i64 16
  %v15 = load i64, ptr %v14, align 8
  %v16 = getelementptr i8, ptr %v4, i64 8
  store i64 %v15, ptr %v16, align 8
  %v17 = getelementptr i8, ptr %v7, i64 80
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i8, ptr %v7, i64 48
  %v20 = load i64, ptr %v19, align 8
  %v21 = mul i64 %v20, %v1
  %v22 = add i64 %v21, %v18
  %v23 = getelementptr i8, ptr %v4, i64 16
  store i64 %v22, ptr %v23, align 8
  %v24 = sub i64 %v2, %v1
  %v25 = getelementptr i8, ptr %v7, i64 24
  %v26 = load i64, ptr %v25, align 8
  %v27 = getelementptr i8, ptr %v7, i64 32
  %v28 = load i64, ptr %v27, align 8
  store i64 %v24, ptr %v5, align 8
  %v29 = getelementptr i8, ptr %v5, i64 8
  store i64 %v26, ptr %v29, align 8
  %v30 = getelementptr i8, ptr %v5, i64 16
  store i64 %v28, ptr %v30, align 8
  %v31 = load i64, ptr %v10, align 8
  %v32 = load i64, ptr %v19, align 8
  store i64 %v31, ptr %v6, align 8
  %v33 = getelementptr i8, ptr %v6, i64 8
  store i64 0, ptr %v33, align 8
  %v34 = getelementptr i8, ptr %v6, i64 16
  store i64 %v32, ptr %v34, align 8
  %v35 = getelementptr i8, ptr %v7, i64 56
  %v36 = load i64, ptr %v35, align 8
  %v37 = getelementptr i8, ptr %v7, i64 64
  %v38 = load i64, ptr %v37, align 8
  %v39 = getelementptr i8, ptr %v6, i64 24
  store i64 %v36, ptr %v39, align 8
  %v40 = getelementptr i8, ptr %v6, i64 32
  store i64 %v38, ptr %v40, align 8
  %v41 = load i64, ptr %v7, align 8
  %v42 = getelementptr i8, ptr %v7, i64 8
  %v43 = load i64, ptr %v42, align 8
  %v44 = inttoptr i64 %v43 to ptr
  %v45 = inttoptr i64 %v41 to ptr
  call void %v45(ptr %v4, ptr %v5, ptr %v6, ptr %v44)
  ret i32 0
}
