/** Reads the text of a path, character by character. */
import * as Result from "effect/Result"

import { PathError } from "./PathError.ts"

/** The text between brackets, before the type of the key is known. */
export type PathKey =
  | { readonly _tag: "Number"; readonly value: bigint }
  /** `0x` and any number of hex digits. */
  | { readonly _tag: "Hex"; readonly digits: string }
  | { readonly _tag: "Text"; readonly value: string }
  /** `true`, or the name of an enum's member. */
  | { readonly _tag: "Name"; readonly name: string }

/** One step of a path. `at` is its position in the text, from 0, for errors. */
export type PathStep =
  | { readonly _tag: "Member"; readonly name: string; readonly at: number }
  | { readonly _tag: "Key"; readonly key: PathKey; readonly at: number }

/** The start of a path. */
export type PathRoot =
  | { readonly _tag: "Variable"; readonly name: string; readonly at: number }
  | { readonly _tag: "Namespace"; readonly id: string; readonly at: number }

/** A parsed path. */
export interface ParsedPath {
  readonly text: string
  readonly root: PathRoot
  readonly steps: ReadonlyArray<PathStep>
}

export const scan = (text: string, maxLength: number): Result.Result<ParsedPath, PathError> => {
  if (text.length > maxLength) {
    const detail = `a path has at most ${maxLength} characters`
    return Result.fail(new PathError({ reason: "Syntax", path: text.slice(0, maxLength), at: maxLength, detail }))
  }
  const scanner = new Scanner(text)
  const path = scanner.path()
  return path === undefined ? Result.fail(scanner.problem!) : Result.succeed(path)
}

const IDENTIFIER = /[A-Za-z_$][A-Za-z0-9_$]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?![A-Za-z0-9_$])/y
const HEX = /0x[0-9a-fA-F]*(?![A-Za-z0-9_$])/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/**
 * Reads a path from left to right: each method continues where the previous one stopped. A method that returns
 * undefined sets `problem`.
 */
class Scanner {
  readonly #text: string
  #at = 0
  problem: PathError | undefined

  constructor(text: string) {
    this.#text = text
  }

  path(): ParsedPath | undefined {
    const root = this.#root()
    if (root === undefined) return undefined
    const steps: Array<PathStep> = []
    while (this.#at < this.#text.length) {
      const step = this.#step()
      if (step === undefined) return undefined
      steps.push(step)
    }
    return { text: this.#text, root, steps }
  }

  #root(): PathRoot | undefined {
    const name = this.#take(IDENTIFIER)
    if (name === undefined) return this.#fail("expected the name of a variable")
    if (name !== "erc7201" || this.#text[this.#at] !== "(") return { _tag: "Variable", name, at: 0 }
    this.#at++
    const at = this.#at
    const id = this.#quoted()
    if (id === undefined) return undefined
    return this.#expect(")") ? { _tag: "Namespace", id, at } : undefined
  }

  #step(): PathStep | undefined {
    const start = this.#text[this.#at]
    if (start !== "." && start !== "[") return this.#fail("expected . or [")
    this.#at++
    const at = this.#at
    if (start === ".") {
      const name = this.#take(IDENTIFIER)
      return name === undefined ? this.#fail("expected a name") : { _tag: "Member", name, at }
    }
    const key = this.#key()
    return key !== undefined && this.#expect("]") ? { _tag: "Key", key, at } : undefined
  }

  #key(): PathKey | undefined {
    if (this.#text[this.#at] === `"`) {
      const value = this.#quoted()
      return value === undefined ? undefined : { _tag: "Text", value }
    }
    const digits = this.#take(HEX)
    if (digits !== undefined) return { _tag: "Hex", digits }
    const number = this.#take(NUMBER)
    if (number !== undefined) return { _tag: "Number", value: BigInt(number) }
    const name = this.#take(IDENTIFIER)
    return name === undefined
      ? this.#fail("expected a number, 0x hex, a name or text in quotes")
      : { _tag: "Name", name }
  }

  #quoted(): string | undefined {
    if (!this.#expect(`"`)) return undefined
    const start = this.#at - 1
    for (;;) {
      const character = this.#text[this.#at]
      if (character === `"`) break
      if (character === undefined) return this.#fail("the text has no closing quote")
      if (character < " ") return this.#fail("expected an escape such as \\n in place of a control character")
      if (character !== "\\") this.#at++
      else if (this.#take(ESCAPE) === undefined) return this.#fail("not an escape of JSON")
    }
    this.#at++
    const value: string = JSON.parse(this.#text.slice(start, this.#at))
    if (value.isWellFormed()) return value
    // half a surrogate pair cannot be encoded as UTF-8
    this.#at = start
    return this.#fail("the text is not well-formed Unicode")
  }

  #expect(character: string): boolean {
    if (this.#text[this.#at] !== character) {
      this.#fail(`expected ${character}`)
      return false
    }
    this.#at++
    return true
  }

  /** Takes the text that the pattern matches at this position, or returns undefined. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found !== undefined) this.#at += found.length
    return found
  }

  #fail(detail: string): undefined {
    this.problem = new PathError({ reason: "Syntax", path: this.#text, at: this.#at, detail })
    return undefined
  }
}
