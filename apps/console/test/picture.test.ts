/** Tests the headers of pictures with files that other programs made, and with headers written by their specifications. */
import * as Random from "@plumbline/seeded/Random"
import { expect, test } from "vitest"

import * as PictureHeader from "../src/ipfs/pictureHeader.ts"

const of = (text: string) => PictureHeader.of(new Uint8Array(Buffer.from(text, "base64")))
const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"))

test.each([
  // the smallest files of each type that are widely used as placeholders
  [
    "PNG",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "image/png"
  ],
  ["GIF", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "image/gif"],
  ["lossy WebP", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "image/webp"],
  ["lossless WebP", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "image/webp"]
])("%s of one pixel is known by its bytes", (_, text, type) => {
  expect(of(text)).toEqual({ type, width: 1, height: 1 })
})

test.each([
  [
    "a JPEG, behind segments without a size",
    "ffd8 ffe0 0004 0000 ffdb 0003 00 ffff c2 000b 08 0400 0300 01 011100",
    "image/jpeg",
    768,
    1024
  ],
  [
    "a PNG that claims billions of pixels",
    "89504e470d0a1a0a 0000000d 49484452 0000ffff 0000fffe 08 06 00 00 00",
    "image/png",
    65_535,
    65_534
  ],
  [
    "a WebP with extended header",
    "52494646 00000000 57454250 56503858 0a000000 00000000 0f2700 1f4e00",
    "image/webp",
    10_000,
    20_000
  ]
] as const)("%s has the size of its header", (_, text, type, width, height) => {
  expect(PictureHeader.of(hex(text))).toEqual({ type, width, height })
})

test.each([
  ["no bytes", ""],
  ["a text", Buffer.from("<svg onload=alert(1)>").toString("hex")],
  ["a PNG that is cut", "89504e470d0a1a0a 0000000d 49484452 0000"],
  ["a PNG without width", "89504e470d0a1a0a 0000000d 49484452 00000000 00000001 08 06 00 00 00"],
  ["a JPEG whose segments never start a frame", `ffd8 ${"ffe0 0002".repeat(20)}`],
  ["a WAV, which begins like a WebP", "52494646 00000000 57415645 666d7420 10000000 01000100 44ac0000"]
])("%s is no picture", (_, text) => {
  expect(PictureHeader.of(hex(text))).toBeUndefined()
})

test("any bytes behind a known beginning are read to an end, within their bounds", () => {
  const random = Random.make(34)
  for (let run = 0; run < 2000; run++) {
    const tail = Array.from({ length: Random.int(random, 80) }, () => Random.int(random, 256))
    const head = ["89504e470d0a1a0a", "ffd8ffe0", "474946383961", "52494646000000005745425056503820"][run % 4]!
    const bytes = Uint8Array.from([...Buffer.from(head, "hex"), ...tail])
    // a view that does not begin at its buffer's beginning
    const shifted = Uint8Array.from([0, 0, 0, ...bytes]).subarray(3)
    expect(PictureHeader.of(shifted)).toEqual(PictureHeader.of(bytes))
  }
})
