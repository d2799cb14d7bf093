/** The access to IPFS: an API key with its secret, or a project of a signed-in operator. */
import { lazy, Suspense } from "react"

import * as SignInState from "../admin/SignInState.ts"
import * as PageSession from "../chain/PageSession.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { Secrets } from "../parts/KeyForm.tsx"

const OperatorKey = lazy(() => import("./OperatorKey.tsx"))

/**
 * Shows fields for an API key and its secret, which IPFS needs both. A signed-in operator can choose a project instead.
 * With `stores`, files wait for the key: the buttons say that it stores them.
 */
export const AccessForm = ({ stores = false }: { readonly stores?: boolean }) => {
  const isSet = useAtom(PageSession.access) !== undefined
  const signed = useAtom(SignInState.signInState)
  const form = (
    <Secrets
      names={["API key", "API key secret"]}
      submit={stores ? "Store it" : isSet ? "Use this one" : "Use it"}
      onTexts={([key = "", secret = ""]) =>
        setAtom(PageSession.access, { apiKey: PageSession.redacted(key), apiKeySecret: PageSession.redacted(secret) })
      }
    />
  )
  return signed._tag === "In" && signed.session.kind === "operator" ? (
    <Suspense fallback={form}>
      <OperatorKey stores={stores}>{form}</OperatorKey>
    </Suspense>
  ) : (
    form
  )
}
