/** A button that reads subjects of a network, for a form that fills in one of them. */
import * as Atom from "effect/reactivity/Atom"
import { useState } from "react"

import type * as ExampleContracts from "../chain/ExampleContracts.ts"
import * as ExampleSubjects from "../chain/ExampleSubjects.ts"
import { read } from "../chain/ReadAtoms.ts"
import { registry } from "../look/useAtom.ts"
import { useExampleContracts } from "./useExampleContracts.ts"

/** The subjects of a network, such as a contract and a transaction. Read when a screen first asks for them. */
export const subjectsOf = Atom.family((network: string) => read({ network }, ExampleSubjects.find))

/** The button. */
export const ExampleButton = ({
  network,
  onExample
}: {
  readonly network: string
  /** Gets the subjects, and the contracts of an embedded chain. */
  readonly onExample: (
    subjects: ExampleSubjects.ExampleSubjects,
    embedded: ExampleContracts.ExampleContracts | undefined
  ) => void
}) => {
  const [state, setState] = useState<"idle" | "reading" | "failed">("idle")
  const embedded = useExampleContracts(network)
  const fill = (): void => {
    setState("reading")
    const atom = subjectsOf(network)
    const done = registry.subscribe(
      atom,
      (result) => {
        if (result._tag === "Initial" || result.waiting) return
        queueMicrotask(() => done())
        if (result._tag === "Failure") {
          setState("failed")
          registry.refresh(atom)
          return
        }
        setState("idle")
        onExample(result.value, embedded)
      },
      { immediate: true }
    )
  }
  return (
    <button type="button" className="plain small" onClick={fill} disabled={state === "reading"}>
      {state === "reading"
        ? "Looking for an example …"
        : state === "failed"
          ? "No example could be read"
          : "Fill in an example"}
    </button>
  )
}
