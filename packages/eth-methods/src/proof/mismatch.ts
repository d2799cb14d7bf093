/** Describes a contradiction inside an answer, before the path that leads to it is known. */
import type { ComparableValue } from "@plumbline/verdict/RefutedError"

/** A wrong field, with the expected and the received value. The path to the field is built only when it is read. */
export type Mismatch = readonly [field: string, expected: ComparableValue, got: ComparableValue]
