/** The requests that the holder of a project's key may make: only requests that read the project's own data. */
import type { ProjectIdentity } from "./identity.ts"

/** True if the request reads the project's own data, or concerns the session. Every other request is refused. */
export const permits = ({ project, session }: ProjectIdentity, method: string, url: string): boolean => {
  const { pathname, searchParams } = new URL(url, "http://admin.invalid")
  if (pathname === SESSION) return session === undefined ? method === "POST" : true
  if (session === undefined || method !== "GET") return false
  const id = encodeURIComponent(project)
  if (OWN.some((rest) => pathname === `/admin/v1/projects/${id}${rest}`)) return true
  // With several `project` parameters, one of them could name another project.
  const projects = searchParams.getAll("project")
  return USAGE.has(pathname) && projects.length === 1 && projects[0] === project
}

const SESSION = "/admin/v1/session"

/** The permitted paths below the path of the project. */
const OWN = ["", "/access", "/alerts", "/alerts/fired", "/keys", "/keys/history", "/limits", "/tokens"]

const USAGE: ReadonlySet<string> = new Set(
  ["", "/totals", "/by", "/series", "/stored"].map((rest) => `/admin/v1/usage${rest}`)
)
