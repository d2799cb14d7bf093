/**
 * Reads the type and the size of a picture from its first bytes, not from its name.
 *
 * Sources: PNG (W3C), section 11.2.2; GIF89a, section 18; JPEG (ITU T.81), annex B; WebP (RFC 9649).
 */

/** The type of a picture, and its size in pixels as its header states it. */
export interface PictureHeader {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  readonly width: number
  readonly height: number
}

/** Returns the header. Undefined if the bytes begin no picture of these types, or state no size. */
export const of = (bytes: Uint8Array): PictureHeader | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const starts = (at: number, ...wanted: ReadonlyArray<number>): boolean =>
    wanted.every((byte, i) => bytes[at + i] === byte)
  if (starts(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && bytes.length >= 24) {
    return sized("image/png", view.getUint32(16), view.getUint32(20))
  }
  if (starts(0, 0x47, 0x49, 0x46, 0x38) && bytes.length >= 10) {
    return sized("image/gif", view.getUint16(6, true), view.getUint16(8, true))
  }
  if (starts(0, 0xff, 0xd8, 0xff)) return jpeg(view)
  // "RIFF", four bytes of length, "WEBP"
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50) && bytes.length >= 30) return webp(view)
  return undefined
}

const sized = (type: PictureHeader["type"], width: number, height: number): PictureHeader | undefined =>
  width === 0 || height === 0 ? undefined : { type, width, height }

/** The size is in the first segment that starts a frame (0xC0 to 0xCF, except the three that do not). */
const jpeg = (view: DataView): PictureHeader | undefined => {
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return sized("image/jpeg", view.getUint16(at + 7), view.getUint16(at + 5))
    }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const webp = (view: DataView): PictureHeader | undefined => {
  const at = 20
  switch (view.getUint32(12)) {
    // "VP8 ": a frame's tag, its start code, then 14 bits for each side
    case 0x56503820:
      return sized("image/webp", view.getUint16(at + 6, true) & 0x3fff, view.getUint16(at + 8, true) & 0x3fff)
    // "VP8L": a signature, then 14 bits for each side less one
    case 0x5650384c: {
      const bits = view.getUint32(at + 1, true)
      return sized("image/webp", (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    // "VP8X": flags, then 24 bits for each side less one
    case 0x56503858: {
      const of24 = (place: number) => view.getUint16(place, true) + view.getUint8(place + 2) * 65_536 + 1
      return sized("image/webp", of24(at + 4), of24(at + 7))
    }
    default:
      return undefined
  }
}
