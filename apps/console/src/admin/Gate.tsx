/** Shows a screen of the admin API if there is a session, and the sign-in otherwise. */
import "./admin.css"
import type { Session } from "@plumbline/gateway/admin/AdminSession"
import * as Effect from "effect/Effect"
import { type ReactNode, useEffect } from "react"

import { useAtom } from "../look/useAtom.ts"
import * as Admin from "./Admin.ts"
import * as Signed from "./Signed.ts"
import { SignIn } from "./SignIn.tsx"

/** The screen, or the sign-in. */
export const Gate = ({ children }: { readonly children: (session: Session) => ReactNode }) => {
  const signed = useAtom(Signed.signed)
  useEffect(() => {
    if (signed._tag === "Unknown") void Effect.runPromise(Admin.resume)
  }, [signed])
  switch (signed._tag) {
    case "In":
      return children(signed.session)
    case "Out":
      return <SignIn reason={signed.reason} />
    case "Unknown":
      return <p className="page quiet" role="status" />
  }
}
