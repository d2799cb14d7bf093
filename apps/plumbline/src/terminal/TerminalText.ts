/** Makes foreign texts safe to print. */
import * as FreeText from "@plumbline/redaction/FreeText"

/**
 * Returns the text with control characters, and characters that change the direction of writing, as escapes. So a node
 * cannot move the cursor, colour its lie green, or overwrite a verdict.
 */
export const printable = (text: string): string =>
  text.replaceAll(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * Returns JSON that is safe in a terminal too. The escaped characters occur only inside strings, where an escape means
 * the same character.
 */
export const json = (value: unknown): string => printable(JSON.stringify(value))

/** Returns the text without the URLs and keys in it, because a user can type a URL or a key in the wrong place. */
export const withoutUrls = (text: string): string => withoutKeys(FreeText.withoutUrls(text, "<url>"))

/** Returns the text without the API keys in its URLs. The rest of each URL stays. */
export const withoutKeys = (text: string): string => FreeText.withoutKeys(text, "<key>")

/**
 * Counts the columns that a text takes on a terminal: two for a letter of East Asia or an emoji, none for a mark above
 * or below another letter. Terminals differ on joined emoji; here they count as one.
 */
export const width = (text: string): number => {
  if (/^[ -~]*$/u.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) {
    columns += wide.test(segment) ? 2 : invisible.test(segment) ? 0 : 1
  }
  return columns
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

// wide characters by script and block, an approximation of Unicode's East Asian Width; the half-width forms U+FF61 to
// U+FFDC are narrow
const wide =
  /^(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Yi}\u3000-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]|\ufe0f/u

const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/**
 * Puts parts side by side, with a gap between them, in lines of at most `width` characters. A longer part is not
 * broken.
 */
export const flow = (parts: ReadonlyArray<string>, gap: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of parts) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + gap.length + part.length <= width)
      lines[lines.length - 1] = line + gap + part
    else lines.push(part)
  }
  return lines
}

/** Breaks a sentence into lines of at most `width` characters. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => flow(text.split(" "), " ", width)

// control characters (C0, DEL, C1), line and paragraph separators, and characters that change the direction of writing
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
