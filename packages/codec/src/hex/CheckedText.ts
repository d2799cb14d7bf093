/**
 * Schemas of text that a function checks, without regular expressions. A 32-byte hash takes half the time.
 */
export { text as schema } from "./schema.ts"
