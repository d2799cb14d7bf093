/** Shows what changes something only to a session that may make the change. */
import type { ReactNode } from "react"

import { type Method, useWhyNot } from "./rights.ts"

/** The children, if the session may call the method; otherwise the reason, or nothing if the page says it elsewhere. */
export const Permitted = ({
  children,
  isSilent = false,
  project,
  to,
  what
}: {
  readonly to: Method
  /** The project that the call concerns. */
  readonly project?: string | undefined
  /** The subject of the reason, such as `Creating a project`. */
  readonly what?: string
  readonly isSilent?: boolean
  readonly children: ReactNode
}) => {
  const why = useWhyNot()(to, project, what)
  if (why === undefined) return children
  return isSilent ? null : <p className="soft small">{why}</p>
}
