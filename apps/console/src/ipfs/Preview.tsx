/**
 * Shows a file as text or as a picture, without running anything in it.
 *
 * HTML and SVG are shown as plain text. The browser decodes a picture and draws it on a canvas. So the page contains no
 * address of the content, and no format with scripts is decoded.
 */
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react"

import { bytes, digitsOf, grouped } from "../look/TextFormats.ts"
import * as PictureHeader from "./pictureHeader.ts"

/** Maximum number of bytes of text, and of bytes in hex, that are shown. */
const MAX_TEXT = 128 * 1024
const MAX_HEX = 512

/** The largest side of a drawn picture, in pixels. */
const MAX_SIDE = 1200

/**
 * Maximum number of pixels that are decoded, at four bytes each. A few kilobytes can hold a picture that needs gigabytes.
 */
const MAX_PIXELS = 40_000_000

/** Shows a file, from its first bytes. */
export const Preview = ({ head, size }: { readonly head: Uint8Array; readonly size: number }) => {
  const picture = useMemo(() => PictureHeader.of(head), [head])
  const text = useMemo(
    () => (picture === undefined ? textOf(head.subarray(0, MAX_TEXT), head.length) : undefined),
    [head, picture]
  )
  if (size === 0) return <p className="inset soft">The file is empty: its hash proves that.</p>
  if (picture !== undefined) {
    const { height, type, width } = picture
    const why =
      head.length < size
        ? `is larger than ${bytes(head.length)}, which a preview reads`
        : width * height > MAX_PIXELS
          ? `has ${grouped(width)} × ${grouped(height)} pixels, more than a preview decodes`
          : undefined
    if (why === undefined) return <Drawn head={head} kind={type} />
    return (
      <>
        <p className="inset ruled soft">
          The picture ({type}) {why}. Download it to see it.
        </p>
        <Hexes head={head} size={size} />
      </>
    )
  }
  if (text !== undefined) {
    return (
      <>
        <Scrolled>{text}</Scrolled>
        {size > MAX_TEXT ? (
          <p className="inset small quiet">
            The first {bytes(MAX_TEXT)} of {bytes(size)}.
          </p>
        ) : null}
      </>
    )
  }
  return <Hexes head={head} size={size} />
}

const Hexes = ({ head, size }: { readonly head: Uint8Array; readonly size: number }) => (
  <>
    <Scrolled>
      {Array.from({ length: Math.ceil(Math.min(head.length, MAX_HEX) / 16) }, (_, row) => {
        const part = head.subarray(row * 16, Math.min(row * 16 + 16, MAX_HEX))
        const letters = Array.from(part, (byte) =>
          byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·"
        ).join("")
        return `${(row * 16).toString(16).padStart(6, "0")}  ${Array.from(part, digitsOf).join(" ").padEnd(47)}  ${letters}\n`
      }).join("")}
    </Scrolled>
    {size > MAX_HEX ? (
      <p className="inset small quiet">
        The first {grouped(MAX_HEX)} bytes of {grouped(size)}.
      </p>
    ) : null}
  </>
)

const Drawn = ({ head, kind }: { readonly head: Uint8Array; readonly kind: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [sides, setSides] = useState<string | undefined>(undefined)
  const [isWrong, setWrong] = useState(false)
  useEffect(() => {
    let isGone = false
    void createImageBitmap(new Blob([new Uint8Array(head)], { type: kind })).then(
      (bitmap) => {
        const { current } = canvas
        if (isGone || current === null) return
        const { height, width } = bitmap
        const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
        current.width = Math.max(1, Math.round(width * scale))
        current.height = Math.max(1, Math.round(height * scale))
        current.getContext("2d")?.drawImage(bitmap, 0, 0, current.width, current.height)
        bitmap.close()
        setSides(`${grouped(width)} × ${grouped(height)} pixels`)
      },
      () => setWrong(true)
    )
    return () => {
      isGone = true
    }
  }, [head, kind])
  if (isWrong) return <Hexes head={head} size={head.length} />
  return (
    <figure className="preview-picture">
      <canvas ref={canvas} role="img" aria-label={`The picture${sides === undefined ? "" : `, ${sides}`}`} />
      <figcaption className="small quiet">
        {kind}
        {sides === undefined ? "" : `, ${sides}`}
      </figcaption>
    </figure>
  )
}

/** Text that scrolls in its own frame, with the pointer or the keyboard. */
export const Scrolled = ({ children }: { readonly children: ReactNode }) => (
  // the keyboard must reach a frame that scrolls
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <pre className="preview-text" tabIndex={0}>
    {children}
  </pre>
)

/**
 * Returns the bytes as text if they are UTF-8 without control characters, otherwise undefined. `all` is the size of the
 * whole file, which may be larger than `shown`.
 */
const textOf = (shown: Uint8Array, all: number): string | undefined => {
  try {
    // a character cut off at the end of the shown part is not an error
    const text = new TextDecoder("utf-8", { fatal: true }).decode(shown, { stream: all > shown.length })
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000e-\u001f]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
