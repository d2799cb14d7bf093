/** Does an operator's work through the admin API as it is documented, without any of our clients. */
import { http } from "./ask.ts"
import type { Operated, Project, Target } from "./target.ts"

/** Sends a request to the admin API. Throws if it fails. */
export const admin = async (
  { adminPort, adminToken, port }: Operated,
  method: string,
  path: string,
  body?: object
): Promise<any> => {
  const answer = await http(`http://127.0.0.1:${adminPort ?? port}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.text === "" ? undefined : JSON.parse(answer.text)
}

/** Makes a project with a new account. A limit that is not given is unlimited. */
export const makeProject = async (
  service: Operated,
  name: string,
  { card = true, limits = {} }: { readonly card?: boolean; readonly limits?: object } = {}
): Promise<Project & { readonly keyId: string }> => {
  const { apiKey, apiKeySecret, key, project } = await admin(service, "POST", "/projects", { name, card, limits })
  return { id: project.id, key: apiKey, secret: apiKeySecret, keyId: key.id }
}

/** Makes the projects that the tests of the interface use. */
export const makeProjects = async (service: Operated): Promise<Target["projects"]> => ({
  open: await makeProject(service, "open"),
  cardless: await makeProject(service, "cardless", { card: false }),
  limited: await makeProject(service, "limited", { limits: { creditsPerDay: 100 } })
})

export interface Row {
  readonly product: string
  readonly network: string
  readonly method: string
  readonly status: number
  readonly calls: number
  readonly credits: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Returns today's usage of a project, as the dashboard shows it. */
export const usage = async (service: Operated, project: string): Promise<ReadonlyArray<Row>> => {
  const { rows } = await admin(service, "GET", `/usage?project=${project}&window=24h`)
  return rows.map((row: Readonly<Record<keyof Row, any>>) => ({
    ...row,
    calls: Number(row.calls),
    credits: Number(row.credits),
    bytesIn: Number(row.bytesIn),
    bytesOut: Number(row.bytesOut)
  }))
}

/** Returns the number of answered calls in these rows. */
export const answered = (rows: ReadonlyArray<Row>): number =>
  rows.reduce((sum, { calls, status }) => (status === 200 ? sum + calls : sum), 0)
