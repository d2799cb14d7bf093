/** Hex text to bytes and back as WebAssembly text, 16 bytes at a time. */

const every = (byte: number): string => `(v128.const i8x16 ${Array.from({ length: 16 }, () => byte).join(" ")})`

const ZERO = every("0".charCodeAt(0))
const DIGITS = `(v128.const i8x16 ${Array.from({ length: 16 }, (_, i) => i.toString(16).charCodeAt(0)).join(" ")})`

/**
 * Replaces 16 characters in the local by their values.
 *
 * Letters have bit 6 set and digits do not, so the value is the low half of the character, plus 9 for letters. Other
 * characters show in `$bad`: the digit of their value differs from the character in lower case.
 */
const digitValues = (local: string): string => `
      (local.set $letter (v128.and (i16x8.shr_u (local.get $${local}) (i32.const 6)) ${every(1)}))
      (local.set $lower (v128.or (local.get $${local}) (i16x8.shl (local.get $letter) (i32.const 5))))
      (local.set $${local} (i8x16.add
        (v128.and (local.get $${local}) ${every(15)})
        (v128.or (local.get $letter) (i16x8.shl (local.get $letter) (i32.const 3)))))
      (local.set $bad (v128.or (local.get $bad)
        (v128.xor (i8x16.swizzle ${DIGITS} (local.get $${local})) (local.get $lower))))`

const EVEN = Array.from({ length: 16 }, (_, i) => 2 * i).join(" ")
const ODD = Array.from({ length: 16 }, (_, i) => 2 * i + 1).join(" ")

/**
 * `unhex(from, size, to)` converts `2 * size` digits into `size` bytes. It returns 0 if a character is not a digit. It
 * overwrites 32 bytes after the text and up to 15 after the bytes.
 *
 * `tohex(from, size, to)` converts `size` bytes into lower-case digits. It reads up to 15 bytes after the bytes and
 * overwrites up to 30 after the text.
 */
export const hexModule = (): string => `(module (import "codec" "memory" (memory 1))
  (func (export "unhex") (param $from i32) (param $size i32) (param $to i32) (result i32)
    (local $end i32) (local $x v128) (local $y v128) (local $high v128) (local $low v128)
    (local $letter v128) (local $lower v128) (local $bad v128)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $size) (i32.const 1))))
    (v128.store (local.get $end) ${ZERO})
    (v128.store offset=16 (local.get $end) ${ZERO})
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $x (v128.load (local.get $from)))
      (local.set $y (v128.load offset=16 (local.get $from)))
      (local.set $high (i8x16.shuffle ${EVEN} (local.get $x) (local.get $y)))
      (local.set $low (i8x16.shuffle ${ODD} (local.get $x) (local.get $y)))${digitValues("high")}${digitValues("low")}
      (v128.store (local.get $to) (v128.or (i16x8.shl (local.get $high) (i32.const 4)) (local.get $low)))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br $next)))
    (i32.eqz (v128.any_true (local.get $bad))))
  (func (export "tohex") (param $from i32) (param $size i32) (param $to i32)
    (local $end i32) (local $x v128) (local $high v128) (local $low v128)
    (local.set $end (i32.add (local.get $from) (local.get $size)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $x (v128.load (local.get $from)))
      (local.set $high (i8x16.swizzle ${DIGITS} (i8x16.shr_u (local.get $x) (i32.const 4))))
      (local.set $low (i8x16.swizzle ${DIGITS} (v128.and (local.get $x) ${every(15)})))
      (v128.store (local.get $to)
        (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $high) (local.get $low)))
      (v128.store offset=16 (local.get $to)
        (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $high) (local.get $low)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 32)))
      (br $next)))))`
