
/*
 * What differs from the headers of Debian's PostgreSQL for PGlite, which compile.sh appends to
 * their pg_config.h: the sizes of types in 32 bits, no instructions of another processor, and no
 * library that PGlite is not linked with or whose headers do not exist for it.
 */
#undef ALIGNOF_LONG
#define ALIGNOF_LONG 4
#undef SIZEOF_LONG
#define SIZEOF_LONG 4
#undef SIZEOF_SIZE_T
#define SIZEOF_SIZE_T 4
#undef SIZEOF_VOID_P
#define SIZEOF_VOID_P 4
_Static_assert(sizeof(long) == SIZEOF_LONG && _Alignof(long) == ALIGNOF_LONG,
			   "this is for wasm32");
_Static_assert(sizeof(void *) == SIZEOF_VOID_P && sizeof(__SIZE_TYPE__) == SIZEOF_SIZE_T,
			   "this is for wasm32");
_Static_assert(_Alignof(double) == ALIGNOF_DOUBLE && _Alignof(long long) == ALIGNOF_INT64_T,
			   "this is for wasm32");

#undef ENABLE_GSS
#undef ENABLE_NLS
#undef HAVE_X86_64_POPCNTQ
#undef HAVE_XSAVE_INTRINSICS
#undef HAVE__GET_CPUID
#undef HAVE__GET_CPUID_COUNT
#undef USE_AVX512_CRC32C_WITH_RUNTIME_CHECK
#undef USE_AVX512_POPCNT_WITH_RUNTIME_CHECK
#undef USE_SSE42_CRC32C_WITH_RUNTIME_CHECK
#define USE_SLICING_BY_8_CRC32C 1
#undef USE_LDAP
#undef USE_LIBCURL
#undef USE_LIBNUMA
#undef USE_LIBURING
#undef USE_LLVM
#undef USE_LZ4
#undef USE_OPENSSL
#undef USE_PAM
#undef USE_SYSTEMD
#undef USE_ZSTD

#undef PG_C_PRINTF_ATTRIBUTE
#define PG_C_PRINTF_ATTRIBUTE printf
