/**
 * Expressions of WebAssembly text over whole numbers of 64 bits, each with its greatest value.
 *
 * An expression that could leave the 64 bits, or go below zero, is refused when the module is made. So no carry is ever
 * lost, whatever the input is.
 */

/** An expression and the greatest value that it can have. The least is zero or more. */
export interface Word {
  readonly code: string
  readonly most: bigint
}

const WORD = 2n ** 64n

const word = (code: string, most: bigint): Word => {
  if (most >= WORD) throw new RangeError(`up to ${most} does not fit into 64 bits: ${code}`)
  return { code, most }
}

export const constant = (value: bigint): Word => word(`(i64.const ${value})`, value)

/** The local of a name, whose greatest value the caller knows. */
export const local = (name: string, most: bigint): Word => word(`(local.get $${name})`, most)

export const add = (...[first, ...more]: readonly [Word, ...ReadonlyArray<Word>]): Word =>
  more.reduce((sum, next) => word(`(i64.add ${sum.code} ${next.code})`, sum.most + next.most), first)

export const multiply = (a: Word, b: Word): Word => word(`(i64.mul ${a.code} ${b.code})`, a.most * b.most)

/** The difference of a constant and a word that is never greater. */
export const less = (whole: bigint, part: Word): Word => {
  if (part.most > whole) throw new RangeError(`up to ${part.most} is more than ${whole}: ${part.code}`)
  return word(`(i64.sub (i64.const ${whole}) ${part.code})`, whole)
}

/** The last bits of a word. */
export const low = (a: Word, bits: bigint): Word => {
  const mask = 2n ** bits - 1n
  return word(`(i64.and ${a.code} (i64.const ${mask}))`, a.most < mask ? a.most : mask)
}

/** A word without its last bits. */
export const high = (a: Word, bits: bigint): Word => word(`(i64.shr_u ${a.code} (i64.const ${bits}))`, a.most >> bits)

/** A list of statements with the locals that they set. */
export interface Statements {
  /** Sets a local to the word, and returns the local. */
  readonly set: (name: string, value: Word) => Word
  /** Adds a statement. */
  readonly run: (code: string) => void
  /** The declarations of the locals, and the statements. */
  readonly text: () => string
}

export const statements = (): Statements => {
  const names = new Set<string>()
  const lines: Array<string> = []
  return {
    set: (name, value) => {
      names.add(name)
      lines.push(`(local.set $${name} ${value.code})`)
      return local(name, value.most)
    },
    run: (code) => void lines.push(code),
    text: () => [...[...names].map((name) => `(local $${name} i64)`), ...lines].join("\n    ")
  }
}
