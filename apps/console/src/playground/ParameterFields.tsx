/** The fields of one parameter. */
import "./parameterFields.css"
import type { ReactNode } from "react"

import { count } from "../look/TextFormats.ts"
import type { FormParameter } from "./MethodForms.ts"
import type * as SchemaForms from "./SchemaForms.ts"

/** A parameter with its fields, and the mistake in them. */
export const ParameterFields = ({
  isMarked = true,
  mistake,
  onText,
  param,
  prefix = "",
  texts
}: {
  readonly param: FormParameter
  /** Begins the ids of the fields, if the page has several forms. */
  readonly prefix?: string
  readonly texts: SchemaForms.FieldTexts
  readonly mistake: string | undefined
  readonly onText: (path: string, text: string) => void
  /** False if all parameters are optional, so that marking them is useless. Default: true. */
  readonly isMarked?: boolean
}) => {
  const { doc, form, name, required } = param
  const isFilled = Object.keys(texts).some((path) => path === name || path.startsWith(`${name}.`))
  if (form._tag === "Members") {
    const row = (member: SchemaForms.FormMember): ReactNode => (
      <Row
        key={member.name}
        prefix={prefix}
        path={`${name}.${member.name}`}
        label={member.name}
        note={member.required ? "" : "optional"}
        form={member.form}
        texts={texts}
        onText={onText}
      />
    )
    const first = form.members.filter((member, at) => member.required || at < FIRST)
    const rest = form.members.filter((member) => !first.includes(member))
    const fields = (
      <fieldset className="members">
        <legend>
          {name} <small>{doc}</small>
        </legend>
        {first.map(row)}
        {rest.length === 0 ? null : (
          <details className="more" open={rest.some((member) => (texts[`${name}.${member.name}`] ?? "") !== "")}>
            <summary>{count(rest.length, "more field")}</summary>
            <div className="form">{rest.map(row)}</div>
          </details>
        )}
        {mistake === undefined ? null : <Fault>{mistake}</Fault>}
      </fieldset>
    )
    return required || form.members.length <= FIRST ? (
      fields
    ) : (
      <More name={name} doc={doc} isOpen={isFilled}>
        {fields}
      </More>
    )
  }
  const field = (
    <Row
      prefix={prefix}
      path={name}
      label={name}
      note={[required || !isMarked ? "" : "optional", doc].filter((text) => text !== "").join(", ")}
      form={form}
      texts={texts}
      onText={onText}
      fault={mistake}
    />
  )
  return required || form._tag !== "Json" ? (
    field
  ) : (
    <More name={name} doc={doc} isOpen={isFilled}>
      {field}
    </More>
  )
}

/** Maximum number of optional members of an object that are always shown, in addition to the required ones. */
const FIRST = 6

/** An optional parameter with many fields. It is folded until the reader opens it. */
const More = ({
  children,
  doc,
  isOpen,
  name
}: {
  readonly name: string
  readonly doc: string
  readonly isOpen: boolean
  readonly children: ReactNode
}) => (
  <details className="more" open={isOpen}>
    <summary>
      {name} <small>optional, {doc}</small>
    </summary>
    {children}
  </details>
)

const Fault = ({ children, id }: { readonly children: ReactNode; readonly id?: string | undefined }) => (
  <p className="small fault" id={id}>
    {children}
  </p>
)

const Row = ({
  fault,
  form,
  label,
  note,
  onText,
  path,
  prefix,
  texts
}: {
  readonly prefix: string
  readonly path: string
  readonly label: string
  readonly note: string
  readonly form: SchemaForms.SchemaForm
  readonly texts: SchemaForms.FieldTexts
  readonly onText: (path: string, text: string) => void
  readonly fault?: string | undefined
}) => (
  <div className="form-row">
    <label htmlFor={`field-${prefix}${path}`}>
      {label} <small>{note}</small>
    </label>
    <div>
      <Input
        prefix={prefix}
        path={path}
        form={form}
        text={texts[path] ?? ""}
        onText={onText}
        isWrong={fault !== undefined}
      />
      {fault === undefined ? null : <Fault id={`fault-${prefix}${path}`}>{fault}</Fault>}
    </div>
  </div>
)

const Input = ({
  form,
  isWrong,
  onText,
  path,
  prefix,
  text
}: {
  readonly prefix: string
  readonly path: string
  readonly form: SchemaForms.SchemaForm
  readonly text: string
  readonly isWrong: boolean
  readonly onText: (path: string, text: string) => void
}) => {
  const common = {
    id: `field-${prefix}${path}`,
    "aria-invalid": isWrong,
    "aria-describedby": isWrong ? `fault-${prefix}${path}` : undefined,
    value: text
  }
  switch (form._tag) {
    case "Flag":
      return (
        <select {...common} className="field" onChange={({ target }) => onText(path, target.value)}>
          <option value="">left out</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      )
    case "Text":
      return (
        <>
          <input
            {...common}
            className="field mono"
            autoComplete="off"
            spellCheck={false}
            list={form.options.length === 0 ? undefined : `options-${prefix}${path}`}
            placeholder={form.hint ?? (form.options.length > 0 ? form.options.slice(0, 3).join(", ") : "0x…")}
            onChange={({ target }) => onText(path, target.value)}
          />
          {form.options.length === 0 ? null : (
            <datalist id={`options-${prefix}${path}`}>
              {form.options.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </datalist>
          )}
        </>
      )
    default:
      return (
        <textarea
          {...common}
          className="field mono"
          rows={form._tag === "Lines" ? 2 : 4}
          autoComplete="off"
          spellCheck={false}
          placeholder={form._tag === "Lines" ? "one per line" : "JSON"}
          onChange={({ target }) => onText(path, target.value)}
        />
      )
  }
}
