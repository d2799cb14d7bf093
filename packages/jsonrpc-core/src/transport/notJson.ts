/** Describes a text that should have been JSON. */

/**
 * Returns a sentence about a text that is not JSON. The sentence quotes no part of the text. It names the media type,
 * unless that is a type of JSON.
 */
export const describe = (text: string, contentType: string | undefined): string => {
  const start = text.search(/\S/)
  const first = text[start]
  if (first === undefined) {
    return "the answer is empty"
  }
  if (first === "<") {
    return "the answer is HTML, not JSON"
  }
  if ((first === "{" || first === "[") && breaksOff(text, start)) {
    return "the answer is JSON that breaks off"
  }
  const mediaType = contentType?.split(";")[0]!.trim().toLowerCase()
  return mediaType !== undefined && MEDIA_TYPE.test(mediaType) && !mediaType.includes("json")
    ? `the answer is not JSON (content type ${mediaType})`
    : "the answer is not JSON"
}

/** Matches a media type by RFC 6838 section 4.2, but with fewer characters than the 127 of the RFC. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,40}\/[a-z0-9<][a-z0-9!#$&^_.+<>-]{0,60}$/

/** True if a bracket or a string is still open at the end. */
const breaksOff = (text: string, start: number): boolean => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      at = closingQuote(text, at)
      if (at === -1) {
        return true
      }
    } else if (char === "{" || char === "[") {
      depth++
    } else if (char === "}" || char === "]") {
      depth--
    }
  }
  return depth > 0
}

/** Returns the position of the quote that closes the string at `open`, or -1. */
const closingQuote = (text: string, open: number): number => {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") {
      at++
    } else if (text[at] === '"') {
      return at
    }
  }
  return -1
}
