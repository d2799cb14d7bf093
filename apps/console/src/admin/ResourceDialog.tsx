/** A dialogue that makes one change of a resource. It has fields, the failure of the last attempt, and two buttons. */
import { Dialog } from "@base-ui/react/dialog"
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import type * as Effect from "effect/Effect"
import type { ReactNode } from "react"

import type { ReadFailure } from "../parts/ReadState.tsx"
import { useWork } from "./useWork.ts"

/** A change of a resource, through the admin API. */
type Change<A> = (client: AdminClient) => Effect.Effect<A, ReadFailure>

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
