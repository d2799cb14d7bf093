/** A contradiction inside of an answer, before the path that leads to it is known. */
import type { Comparable } from "@plumbline/verdict/Refuted"

/** A field, what it should be, what it is: the path to it is made only when it is needed. */
export type Wrong = readonly [field: string, expected: Comparable, got: Comparable]
