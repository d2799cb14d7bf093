/** The WebAssembly text of a module that converts hex text to bytes and back, 16 bytes at a time. */

const every = (byte: number): string => `(v128.const i8x16 ${Array.from({ length: 16 }, () => byte).join(" ")})`

const DIGITS = `(v128.const i8x16 ${Array.from({ length: 16 }, (_, i) => i.toString(16).charCodeAt(0)).join(" ")})`

/**
 * The constants of the loops, kept in locals. V8 keeps a local in a register, but rebuilds a `v128.const` at each use
 * inside a loop, which takes half of the loop's time.
 */
const constants = (
  values: Readonly<Record<string, string>>
): { readonly declare: string; readonly assign: string } => ({
  declare: Object.keys(values)
    .map((name) => `(local $${name} v128)`)
    .join(" "),
  assign: Object.entries(values)
    .map(([name, value]) => `(local.set $${name} ${value})`)
    .join("\n    ")
})

const unhexConstants = constants({
  nineAt255: every(0xff - "9".charCodeAt(0)),
  six: every(6),
  zeroAt: every(0xf0),
  upper: every(0xdf),
  letterA: every("A".charCodeAt(0)),
  ten: every(10),
  lowBytes: `(v128.const i16x8 ${Array.from({ length: 8 }, () => 255).join(" ")})`
})

const tohexConstants = constants({ digits: DIGITS, fifteen: every(15) })

/**
 * Replaces 16 characters in the local by their values, and each character that is not a digit by a value above 15.
 * `$most` keeps the largest values.
 *
 * The value is the smaller of two results. The first maps `0-9` to their values, and other characters to 16 or more, by
 * wrapping around below 0. The second maps letters in either case to their values, and other characters to 16 or more,
 * by stopping at 255. This is the method of Geoff Langdale and Wojciech Mula
 * (http://0x80.pl/notesen/2022-01-17-validating-hex-parse.html).
 */
const digitValues = (local: string): string => `
      (local.set $${local} (i8x16.min_u
        (i8x16.sub
          (i8x16.sub_sat_u (i8x16.add (local.get $${local}) (local.get $nineAt255)) (local.get $six))
          (local.get $zeroAt))
        (i8x16.add_sat_u
          (i8x16.sub (v128.and (local.get $${local}) (local.get $upper)) (local.get $letterA))
          (local.get $ten))))
      (local.set $most (i8x16.max_u (local.get $most) (local.get $${local})))`

/** Joins the two values in each 16 bits to one byte. The value of the first character is the high digit. */
const joined = (local: string): string => `
        (v128.and
          (v128.or (i16x8.shl (local.get $${local}) (i32.const 4)) (i16x8.shr_u (local.get $${local}) (i32.const 8)))
          (local.get $lowBytes))`

/**
 * `unhex(from, size, to)` converts `2 * size` digits into `size` bytes. It returns 0 if a character is not a digit. It
 * overwrites 32 bytes after the text and up to 15 after the bytes.
 *
 * `tohex(from, size, to)` converts `size` bytes into lower-case digits. It reads up to 15 bytes after the bytes and
 * overwrites up to 30 after the text.
 */
export const hexModule = (): string => `(module (import "codec" "memory" (memory 1))
  (func (export "unhex") (param $from i32) (param $size i32) (param $to i32) (result i32)
    (local $end i32) (local $x v128) (local $y v128) (local $most v128) ${unhexConstants.declare}
    ${unhexConstants.assign}
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $size) (i32.const 1))))
    (v128.store (local.get $end) ${every("0".charCodeAt(0))})
    (v128.store offset=16 (local.get $end) ${every("0".charCodeAt(0))})
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $x (v128.load (local.get $from)))
      (local.set $y (v128.load offset=16 (local.get $from)))${digitValues("x")}${digitValues("y")}
      (v128.store (local.get $to) (i8x16.narrow_i16x8_u ${joined("x")} ${joined("y")}))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br $next)))
    (i32.eqz (v128.any_true (i8x16.gt_u (local.get $most) ${every(15)}))))
  (func (export "tohex") (param $from i32) (param $size i32) (param $to i32)
    (local $end i32) (local $x v128) (local $high v128) (local $low v128) ${tohexConstants.declare}
    ${tohexConstants.assign}
    (local.set $end (i32.add (local.get $from) (local.get $size)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $x (v128.load (local.get $from)))
      (local.set $high (i8x16.swizzle (local.get $digits)
        (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (local.get $fifteen))))
      (local.set $low (i8x16.swizzle (local.get $digits) (v128.and (local.get $x) (local.get $fifteen))))
      (v128.store (local.get $to)
        (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $high) (local.get $low)))
      (v128.store offset=16 (local.get $to)
        (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $high) (local.get $low)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 32)))
      (br $next)))))`
