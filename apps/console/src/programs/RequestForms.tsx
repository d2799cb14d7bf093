/** Shows a request in each of its forms: as it is sent, and as programs. */
import { type ReactNode, useState } from "react"

import { Copied } from "../look/Hash.tsx"
import { Code } from "../parts/Code.tsx"
import type { Program } from "./ProgramParts.ts"

/** Shows one form at a time: at first, the first form. */
export const RequestForms = ({
  note,
  programs,
  wire
}: {
  /** The request as it is sent, if it is text. It holds no key. */
  readonly wire?: Program | undefined
  /** The programs, at least one. */
  readonly programs: ReadonlyArray<Program>
  /** The sentence beside the button that copies a program. */
  readonly note: ReactNode
}) => {
  const forms = wire === undefined ? programs : [wire, ...programs]
  const [chosen, setChosen] = useState(forms[0]!.name)
  const shown = forms.find(({ name }) => name === chosen) ?? forms[0]!
  return (
    <section className="sheet" aria-label="Request">
      <header>
        <h2>Request</h2>
        <div className="pills" role="group" aria-label="Form of the request">
          {forms.map(({ name }) => (
            <button key={name} type="button" aria-pressed={name === shown.name} onClick={() => setChosen(name)}>
              {name}
            </button>
          ))}
        </div>
      </header>
      <Code label={`The request as ${shown.name}`} text={shown.text} />
      <p className="inset row wrap">
        <Copied text={shown.text} label="Copy" />
        {shown === wire ? null : <span className="small soft">{note}</span>}
      </p>
    </section>
  )
}
