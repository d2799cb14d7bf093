/** A dialogue that makes one change of a resource. It has fields, the failure of the last attempt, and two buttons. */
import { Dialog } from "@base-ui/react/dialog"
import type { AdminClient } from "@plumbline/gateway/admin/AdminClient"
import type * as Effect from "effect/Effect"
import { type ReactNode, useState } from "react"

import type { Failure } from "../parts/Reading.tsx"
import { useWork } from "./useWork.ts"

/** A change of a resource, through the admin API. */
type Change<A> = (client: AdminClient) => Effect.Effect<A, Failure>

/** The dialogue. If the change fails, it stays open and shows the service's error. */
export const ResourceDialog = <A,>({
  change,
  children,
  confirm,
  isWide = false,
  onClose,
  onDone = onClose,
  title
}: {
  readonly title: string
  readonly confirm: string
  /**
   * Returns the change that the fields ask for. A string is the reason why the fields are refused; undefined means that
   * nothing changes.
   */
  readonly change: (data: FormData) => Change<A> | string | undefined
  readonly onClose: () => void
  /** Takes the answer to the change. Closes the dialogue by default. */
  readonly onDone?: (answer: A) => void
  readonly children: ReactNode
  readonly isWide?: boolean
}) => {
  const { fail, failed, isBusy, run } = useWork()
  const submit = (data: FormData): void => {
    const asked = change(data)
    if (asked === undefined) onClose()
    else if (typeof asked === "string") fail(asked)
    else run(asked, onDone)
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen || isBusy ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="shade" />
        <Dialog.Popup className={isWide ? "dialog ask wide" : "dialog ask"}>
          <Dialog.Title>{title}</Dialog.Title>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              submit(new FormData(event.currentTarget))
            }}
          >
            {children}
            <p className="problem" role="alert">
              {failed}
            </p>
            <p className="row end-row">
              <Dialog.Close className="button" disabled={isBusy}>
                Cancel
              </Dialog.Close>
              <button type="submit" className="button primary" disabled={isBusy}>
                {isBusy ? "One moment …" : confirm}
              </button>
            </p>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/**
 * A field with its name above it and a sentence below it. If the browser refuses its text, the sentence becomes the
 * reason, because a browser's own message passes after some seconds and does not know the form that is asked for.
 */
export const Field = ({
  hint,
  label,
  name,
  ...input
}: {
  readonly label: string
  readonly name: string
  readonly hint?: ReactNode
} & React.InputHTMLAttributes<HTMLInputElement>) => {
  const [problem, setProblem] = useState<string | undefined>(undefined)
  return (
    <label className="labelled">
      <span>{label}</span>
      <input
        className="field"
        name={name}
        autoComplete="off"
        {...input}
        aria-invalid={problem !== undefined}
        onInvalid={(event) => {
          event.preventDefault()
          const { form, validationMessage } = event.currentTarget
          setProblem(validationMessage)
          form?.querySelector<HTMLInputElement>("input:invalid")?.focus()
        }}
        onInput={() => setProblem(undefined)}
      />
      {problem === undefined ? null : (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
      {hint === undefined ? null : <span className="small quiet">{hint}</span>}
    </label>
  )
}

/** A checkbox with its label. */
export const Check = ({
  children,
  isOn,
  name
}: {
  readonly name: string
  readonly isOn: boolean
  readonly children: ReactNode
}) => (
  <label className="check">
    <input type="checkbox" name={name} defaultChecked={isOn} />
    <span>{children}</span>
  </label>
)

/** Returns the text of a field, without spaces around it. */
export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === "string" ? value.trim() : ""
}

/** Returns the whole numbers of the named fields; a field without text is absent. */
export const numbersOf = <N extends string>(data: FormData, names: ReadonlyArray<N>): { readonly [K in N]?: number } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(data, name).replaceAll(/[,_\s]/gu, "")
      return text === "" ? [] : [[name, Number(text)]]
    })
  ) as { readonly [K in N]?: number }
