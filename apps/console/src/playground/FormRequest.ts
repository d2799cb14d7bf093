/** The request of a form: the list of parameters, or the mistakes in the form. */
import type { DescribedMethod } from "./MethodForms.ts"
import * as SchemaForms from "./SchemaForms.ts"

/** The parameters, and the mistakes by the names of their parameters. */
export interface FormRequest {
  readonly params: ReadonlyArray<unknown>
  readonly mistakes: Readonly<Record<string, string>>
}

/** Reads the request. Empty optional parameters at the end are left out; other empty ones are null. */
export const read = ({ params }: DescribedMethod, texts: SchemaForms.FieldTexts): FormRequest => {
  const mistakes: Record<string, string> = {}
  const values: Array<unknown> = []
  let given = 0
  for (const [at, { form, mistake, name, required }] of params.entries()) {
    const found = SchemaForms.read(form, texts, name)
    if (found._tag === "Empty") {
      values.push(form._tag === "Lines" && required ? [] : null)
      if (required && form._tag !== "Lines") mistakes[name] = "Needed"
      if (required) given = at + 1
      continue
    }
    given = at + 1
    if (found._tag === "Mistake") {
      mistakes[name] = found.says
      values.push(null)
      continue
    }
    values.push(found.value)
    const wrong = mistake(found.value)
    if (wrong !== undefined) mistakes[name] = wrong
  }
  return { params: values.slice(0, given), mistakes }
}

/** Converts parameters, as the text of a JSON list, into the texts of a form. Any other text gives an empty form. */
export const write = ({ params }: DescribedMethod, text: string | undefined): SchemaForms.FieldTexts => {
  if (text === undefined) return {}
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    return {}
  }
  if (!Array.isArray(values)) return {}
  return Object.assign({}, ...params.map(({ form, name }, at) => SchemaForms.write(form, values[at], name)))
}
