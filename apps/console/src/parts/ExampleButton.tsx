/** A button that reads subjects of a network, for a form that fills in one of them. */
import * as Atom from "effect/reactivity/Atom"
import { useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"

import type * as ExampleContracts from "../chain/ExampleContracts.ts"
import * as ExampleSubjects from "../chain/ExampleSubjects.ts"
import { read } from "../chain/ReadAtoms.ts"
import { registry } from "../look/useAtom.ts"
import { exampleContracts } from "./useExampleContracts.ts"

/** The subjects of a network, such as a contract and a transaction. Read when a screen first asks for them. */
export const subjectsOf = Atom.family((network: string) => read({ network }, ExampleSubjects.find))

/** A fill that waits for its example. */
interface Fill {
  /** Ends the wait: the example is read, or the reader went on without it. */
  readonly end: () => void
}

/**
 * The button. While the example is read, the form waits: a press of its button counts once the example is in the form.
 * A text that the reader types meanwhile stays, and no example takes its place.
 */
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
  const under = useRef<Fill>(undefined)
  useEffect(() => () => under.current?.end(), [])
  const fill = ({ form }: HTMLButtonElement): void => {
    if (under.current !== undefined) return
    setState("reading")
    let isSubmitted = false
    const hold = (event: Event): void => {
      event.preventDefault()
      // before it bubbles to the form's own handler, which is at the root of the page
      event.stopPropagation()
      isSubmitted = true
    }
    const leave = (): void => {
      end()
      setState("idle")
    }
    form?.addEventListener("submit", hold)
    form?.addEventListener("input", leave)
    const atom = subjectsOf(network)
    let stop: (() => void) | undefined
    const end = (): void => {
      form?.removeEventListener("submit", hold)
      form?.removeEventListener("input", leave)
      under.current = undefined
      queueMicrotask(() => stop?.())
    }
    under.current = { end }
    stop = registry.subscribe(
      atom,
      (result) => {
        if (under.current?.end !== end || result._tag === "Initial" || result.waiting) return
        end()
        // the form has the text before it is submitted
        flushSync(() => {
          setState(result._tag === "Failure" ? "failed" : "idle")
          if (result._tag === "Success") onExample(result.value, exampleContracts(network))
        })
        if (result._tag === "Failure") registry.refresh(atom)
        if (isSubmitted) form?.requestSubmit()
      },
      { immediate: true }
    )
  }
  return (
    <button
      type="button"
      className="plain small"
      onClick={({ currentTarget }) => fill(currentTarget)}
      // a disabled button loses the focus
      aria-disabled={state === "reading"}
    >
      {state === "reading"
        ? "Looking for an example …"
        : state === "failed"
          ? "No example could be read"
          : "Fill in an example"}
    </button>
  )
}
