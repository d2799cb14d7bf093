/** Writes keys of mappings as text of a path. */
import type { PathKey } from "./Path.ts"

/** Returns the text between the brackets of a path, such as `7`, `0x01`, `"bob"` or `true`. */
export const render = (key: PathKey): string => {
  switch (key._tag) {
    case "Number":
      return String(key.value)
    case "Hex":
      return key.digits.toLowerCase()
    case "Text":
      return JSON.stringify(key.value)
    case "Name":
      return key.name
  }
}
