; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @special_1_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = inttoptr i64 %v9 to ptr
  %v11 = sub i64 %v2, %v1
  %v12 = icmp slt i64 %v11, 1
  br i1 %v12, label %v13, label %v14
v14:
  %v15 = load i64, ptr %v4, align 8
  %v16 = inttoptr i64 %v15 to ptr
  br label %v17
v17:
  %v18 = phi i64 [ %v1, %v14 ], [ %v19, %v17 ]
  %v20 = phi i64 [ %v11, %v14 ], [ %v21, %v17 ]
  %v21 = add nsw i64 %v20, -1
  %v19 = add i64 %v18, 1
  %v22 = getelementptr float, ptr %v7, i64 %v18
  %v23 = load float, ptr %v22, align 4
  %v24 = fpext float %v23 to double
  %v25 = call double %v16(double %v24, i32 0)
  %v26 = fptrunc double %v25 to float
  %v27 = getelementptr float, ptr %v10, i64 %v18
  store float %v26, ptr %v27, align 4
  %v28 = icmp sgt i64 %v20, 1
  br i1 %v28, label %v17, label %v13
v13:
  ret i32 0
}

define i32 @special_1_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = inttoptr i64 %v9 to ptr
  %v11 = sub i64 %v2, %v1
  %v12 = icmp slt i64 %v11, 1
  br i1 %v12, label %v13, label %v14
v14:
  %v15 = load i64, ptr %v4, align 8
  %v16 = inttoptr i64 %v15 to ptr
  br label %v17
v17:
  %v18 = phi i64 [ %v1, %v14 ], [ %v19, %v17 ]
  %v20 = phi i64 [ %v11, %v14 ], [ %v21, %v17 ]
  %v21 = add nsw i64 %v20, -1
  %v19 = add i64 %v18, 1
  %v22 = getelementptr double, ptr %v7, i64 %v18
  %v23 = load double, ptr %v22, align 8
  %v24 = call double %v16(double %v23, i32 0)
  %v25 = getelementptr double, ptr %v10, i64 %v18
  store double %v24, ptr %v25, align 8
  %v26 = icmp sgt i64 %v20, 1
  br i1 %v26, label %v17, label %v13
v13:
  ret i32 0
}

define i32 @special_2_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = inttoptr i64 %v9 to ptr
  %v11 = getelementptr i8, ptr %v4, i64 24
  %v12 = load i64, ptr %v11, align 8
  %v13 = inttoptr i64 %v12 to ptr
  %v14 = sub i64 %v2, %v1
  %v15 = icmp slt i64 %v14, 1
  br i1 %v15, label %v16, label %v17
v17:
  %v18 = load i64, ptr %v4, align 8
  %v19 = inttoptr i64 %v18 to ptr
  br label %v20
v20:
  %v21 = phi i64 [ %v1, %v17 ], [ %v22, %v20 ]
  %v23 = phi i64 [ %v14, %v17 ], [ %v24, %v20 ]
  %v24 = add nsw i64 %v23, -1
  %v22 = add i64 %v21, 1
  %v25 = getelementptr float, ptr %v7, i64 %v21
  %v26 = load float, ptr %v25, align 4
  %v27 = getelementptr float, ptr %v10, i64 %v21
  %v28 = load float, ptr %v27, align 4
  %v29 = fpext float %v26 to double
  %v30 = fpext float %v28 to double
  %v31 = call double %v19(double %v29, double %v30, i32 0)
  %v32 = fptrunc double %v31 to float
  %v33 = getelementptr float, ptr %v13, i64 %v21
  store float %v32, ptr %v33, align 4
  %v34 = icmp sgt i64 %v23, 1
  br i1 %v34, label %v20, label %v16
v16:
  ret i32 0
}

define i32 @special_2_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = inttoptr i64 %v0 to ptr
  %v5 = getelementptr i8, ptr %v4, i64 8
  %v6 = load i64, ptr %v5, align 8
  %v7 = inttoptr i64 %v6 to ptr
  %v8 = getelementptr i8, ptr %v4, i64 16
  %v9 = load i64, ptr %v8, align 8
  %v10 = inttoptr i64 %v9 to ptr
  %v11 = getelementptr i8, ptr %v4, i64 24
  %v12 = load i64, ptr %v11, align 8
  %v13 = inttoptr i64 %v12 to ptr
  %v14 = sub i64 %v2, %v1
  %v15 = icmp slt i64 %v14, 1
  br i1 %v15, label %v16, label %v17
v17:
  %v18 = load i64, ptr %v4, align 8
  %v19 = inttoptr i64 %v18 to ptr
  br label %v20
v20:
  %v21 = phi i64 [ %v1, %v17 ], [ %v22, %v20 ]
  %v23 = phi i64 [ %v14, %v17 ], [ %v24, %v20 ]
  %v24 = add nsw i64 %v23, -1
  %v22 = add i64 %v21, 1
  %v25 = getelementptr double, ptr %v7, i64 %v21
  %v26 = load double, ptr %v25, align 8
  %v27 = getelementptr double, ptr %v10, i64 %v21
  %v28 = load double, ptr %v27, align 8
  %v29 = call double %v19(double %v26, double %v28, i32 0)
  %v30 = getelementptr double, ptr %v13, i64 %v21
  store double %v29, ptr %v30, align 8
  %v31 = icmp sgt i64 %v23, 1
  br i1 %v31, label %v20, label %v16
v16:
  ret i32 0
}

define i32 @special_one_of_four_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [4 x i64], align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 16
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v5, i64 24
  %v10 = load i64, ptr %v9, align 8
  %v11 = inttoptr i64 %v10 to ptr
  %v12 = sub i64 %v2, %v1
  %v13 = icmp slt i64 %v12, 1
  br i1 %v13, label %v14, label %v15
v15:
  %v16 = getelementptr i8, ptr %v5, i64 8
  %v17 = load i64, ptr %v16, align 8
  %v18 = load i64, ptr %v5, align 8
  %v19 = getelementptr i8, ptr %v4, i64 8
  %v20 = getelementptr i8, ptr %v4, i64 16
  %v21 = getelementptr i8, ptr %v4, i64 24
  %v22 = inttoptr i64 %v18 to ptr
  %v23 = getelementptr double, ptr %v4, i64 %v17
  br label %v24
v24:
  %v25 = phi i64 [ %v1, %v15 ], [ %v26, %v24 ]
  %v27 = phi i64 [ %v12, %v15 ], [ %v28, %v24 ]
  %v28 = add nsw i64 %v27, -1
  %v26 = add i64 %v25, 1
  %v29 = getelementptr float, ptr %v8, i64 %v25
  %v30 = load float, ptr %v29, align 4
  %v31 = fpext float %v30 to double
  call void %v22(double %v31, ptr %v4, ptr %v19, ptr %v20, ptr %v21)
  %v32 = load double, ptr %v23, align 8
  %v33 = fptrunc double %v32 to float
  %v34 = getelementptr float, ptr %v11, i64 %v25
  store float %v33, ptr %v34, align 4
  %v35 = icmp sgt i64 %v27, 1
  br i1 %v35, label %v24, label %v14
v14:
  ret i32 0
}

define i32 @special_one_of_four_float64(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca [4 x i64], align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = getelementptr i8, ptr %v5, i64 16
  %v7 = load i64, ptr %v6, align 8
  %v8 = inttoptr i64 %v7 to ptr
  %v9 = getelementptr i8, ptr %v5, i64 24
  %v10 = load i64, ptr %v9, align 8
  %v11 = inttoptr i64 %v10 to ptr
  %v12 = sub i64 %v2, %v1
  %v13 = icmp slt i64 %v12, 1
  br i1 %v13, label %v14, label %v15
v15:
  %v16 = getelementptr i8, ptr %v5, i64 8
  %v17 = load i64, ptr %v16, align 8
  %v18 = load i64, ptr %v5, align 8
  %v19 = getelementptr i8, ptr %v4, i64 8
  %v20 = getelementptr i8, ptr %v4, i64 16
  %v21 = getelementptr i8, ptr %v4, i64 24
  %v22 = inttoptr i64 %v18 to ptr
  %v23 = getelementptr double, ptr %v4, i64 %v17
  br label %v24
v24:
  %v25 = phi i64 [ %v1, %v15 ], [ %v26, %v24 ]
  %v27 = phi i64 [ %v12, %v15 ], [ %v28, %v24 ]
  %v28 = add nsw i64 %v27, -1
  %v26 = add i64 %v25, 1
  %v29 = getelementptr double, ptr %v8, i64 %v25
  %v30 = load double, ptr %v29, align 8
  call void %v22(double %v30, ptr %v4, ptr %v19, ptr %v20, ptr %v21)
  %v31 = load double, ptr %v23, align 8
  %v32 = getelementptr double, ptr %v11, i64 %v25
  store double %v31, ptr %v32, align 8
  %v33 = icmp sgt i64 %v27, 1
  br i1 %v33, label %v24, label %v14
v14:
  ret i32 0
}
