/** Shows a part of the page that needs a project's key and secret for the service's IPFS. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type { ReactNode } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { useAtom } from "../look/useAtom.ts"
import { AccessForm } from "./AccessForm.tsx"

/** Shows `children` if there is a key. Otherwise, shows the fields for entering a key. */
export const WithAccess = ({
  children,
  what
}: {
  /** The purpose of the key, such as `to publish`. */
  readonly what: string
  readonly children: (access: PageSession.ProjectAccess) => ReactNode
}) => {
  const start = useAtom(PageSession.start)
  const access = useAtom(PageSession.access)
  const hasIpfs = Option.match(AsyncResult.value(start), { onNone: () => true, onSome: ({ ipfs }) => ipfs })
  if (!hasIpfs) return <p className="soft">This service has no IPFS. Give it a node in its settings.</p>
  if (access !== undefined) return children(access)
  return (
    <div className="stack">
      <p className="small soft">
        The service's IPFS takes a project's key and secret {what}. They stay in the memory of this page.
      </p>
      <AccessForm />
    </div>
  )
}
