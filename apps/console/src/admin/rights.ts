/** The rights of a session, by the rules of the server: which methods of the admin API it may call, and why not. */
import * as AdminRules from "@plumbline/gateway-admin/api/AdminRules"
import type { Session } from "@plumbline/gateway-admin/api/AdminSession"

import { useAtom } from "../look/useAtom.ts"
import * as SignInState from "./SignInState.ts"

type Rules = typeof AdminRules.RULES

/** A method of the admin API, such as `webhooks.create`. */
export type Method = { readonly [G in keyof Rules]: `${G}.${keyof Rules[G] & string}` }[keyof Rules]

/** The rules by the names of methods. */
const BY_NAME: ReadonlyMap<string, AdminRules.AdminRule> = new Map(
  Object.entries(AdminRules.RULES).flatMap(([group, methods]) =>
    Object.entries(methods as Readonly<Record<string, AdminRules.AdminRule>>).map(
      ([name, rule]) => [`${group}.${name}`, rule] as const
    )
  )
)

/**
 * Returns the reason why a session may not call a method, as a sentence; undefined if it may. `project` is the project
 * that the call concerns, `what` the subject of the sentence.
 */
export const whyNot = (session: Session, method: Method, project?: string, what = "This"): string | undefined => {
  const rule = BY_NAME.get(method)!
  const refused = AdminRules.refusalOf(callerOf(session), rule, project)
  if (refused === undefined) return undefined
  if (session.kind === "project") return "The key of a project reads its own data, and changes nothing."
  if (refused._tag === "Role") return `${what} needs the role ${refused.needs}. Yours is ${session.role}.`
  return project === undefined
    ? `${what} concerns all projects, and your role covers some of them.`
    : "Your role does not cover this project."
}

const callerOf = ({ grants, kind, project }: Session): AdminRules.RuledCaller =>
  kind === "project"
    ? { _tag: "Project", project: project ?? "" }
    : { _tag: "Operator", grants: grants.map(({ projects, role }) => ({ role, projects: projects ?? undefined })) }

/** Returns `whyNot` for the session of the page. */
export const useWhyNot = (): ((method: Method, project?: string, what?: string) => string | undefined) => {
  const signed = useAtom(SignInState.signInState)
  return (method, project, what) =>
    signed._tag === "In" ? whyNot(signed.session, method, project, what) : "You are not signed in."
}
