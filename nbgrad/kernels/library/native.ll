; numba 0.68.1, llvmlite 0.50.0, Python 3.11

define i32 @native_float32(ptr %desc, i64 %v1, i64 %v2) nounwind "no-jump-tables"="true" "no-builtins" {
v3:
  %v0 = ptrtoint ptr %desc to i64
  %v4 = alloca i64, align 8
  store i64 0, ptr %v4, align 8
  %v5 = inttoptr i64 %v0 to ptr
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i8, ptr %v5, i64 8
  %v8 = inttoptr i64 %v6 to ptr
  call void %v8(ptr %v7, ptr %v4)
  %v9 = load i64, ptr %v4, align 8
  %v10 = trunc i64 %v9 to i32
  ret i32 %v10
}
