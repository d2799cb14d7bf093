/**
 * Quick decoders for the most frequent forms of answer lines. Each returns the same value as the Schema of its command,
 * or undefined for any other form. In that case the Schema decodes the line, which takes ten times as long, and
 * describes the error if there is one.
 */
import { type CidText, isCidText } from "../cid/Cid.ts"
import * as GoTime from "./goTime.ts"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined

const sizeOf = (value: unknown): number | undefined =>
  typeof value === "number"
    ? Number.isSafeInteger(value) && value >= 0
      ? value
      : undefined
    : typeof value === "string" && /^[0-9]{1,15}$/.test(value)
      ? Number(value)
      : undefined

const linkOf = (value: unknown): CidText | undefined => {
  const text = fieldsOf(value)?.["/"]
  return isCidText(text) ? text : undefined
}

/** Decodes a line of `add`: progress, or an added entry without mode and time. */
export const added = (value: unknown) => {
  const fields = fieldsOf(value)
  const name = fields?.["Name"]
  if (fields === undefined || typeof name !== "string") return undefined
  if (!("Hash" in fields)) {
    const bytes = sizeOf(fields["Bytes"])
    return bytes === undefined ? undefined : { name, bytes }
  }
  const { Hash: cid } = fields
  const size = sizeOf(fields["Size"])
  const isMore = "Mode" in fields || "Mtime" in fields || "MtimeNsecs" in fields
  return isMore || size === undefined || !isCidText(cid) ? undefined : { name, cid, size }
}

/** Decodes an answer with a block and its size. */
export const blockStat = (value: unknown) => {
  const fields = fieldsOf(value)
  const cid = fields?.["Key"]
  const size = sizeOf(fields?.["Size"])
  return size === undefined || !isCidText(cid) ? undefined : { cid, size }
}

/** Decodes an answer with a link to the stored block. */
export const put = (value: unknown) => {
  const cid = linkOf(fieldsOf(value)?.["Cid"])
  return cid === undefined ? undefined : { cid }
}

/** Decodes a line about a root of a CAR. */
export const imported = (value: unknown) => {
  const fields = fieldsOf(value)
  const root = fieldsOf(fields?.["Root"])
  const cid = linkOf(root?.["Cid"])
  const pinError = root?.["PinErrorMsg"]
  return fields === undefined || "Stats" in fields || cid === undefined || typeof pinError !== "string"
    ? undefined
    : { root: { cid, pinError } }
}

/** Decodes the CIDs that were pinned. */
export const pins = (value: unknown) => {
  const all = fieldsOf(value)?.["Pins"]
  return Array.isArray(all) && all.every(isCidText) ? { pins: all } : undefined
}

/** Decodes a pin in a stream. */
export const pin = (value: unknown) => {
  const fields = fieldsOf(value)
  const cid = fields?.["Cid"]
  const type = fields?.["Type"]
  if (fields === undefined || !isCidText(cid)) return undefined
  if (type !== "recursive" && type !== "direct" && type !== "indirect") return undefined
  if (!("Name" in fields)) return { cid, type }
  const { Name: name } = fields
  return typeof name === "string" ? { cid, type, name } : undefined
}

/** Decodes entries of directories without modes and times. */
export const listing = (value: unknown) => {
  const all = fieldsOf(value)?.["Objects"]
  if (!Array.isArray(all)) return undefined
  const objects = all.map(listed)
  return objects.every((object) => object !== undefined) ? { objects } : undefined
}

const listed = (value: unknown) => {
  const fields = fieldsOf(value)
  const path = fields?.["Hash"]
  const links = fields?.["Links"]
  if (typeof path !== "string" || !Array.isArray(links)) return undefined
  const entries = links.map(entry)
  return entries.every((entry) => entry !== undefined) ? { path, entries } : undefined
}

const entry = (value: unknown) => {
  const fields = fieldsOf(value)
  const name = fields?.["Name"]
  const cid = fields?.["Hash"]
  const size = sizeOf(fields?.["Size"])
  const type = fields?.["Type"]
  if (fields === undefined || size === undefined) return undefined
  if ((fields["Mode"] ?? 0) !== 0 || (fields["ModTime"] ?? GoTime.NONE) !== GoTime.NONE) return undefined
  if (typeof name !== "string" || !isEntryType(type) || !isCidText(cid)) return undefined
  if (!("Target" in fields)) return { name, cid, size, type }
  const { Target: target } = fields
  return typeof target === "string" ? { name, cid, size, type, target } : undefined
}

const isEntryType = (type: unknown): type is 0 | 1 | 2 | 3 | 4 | 5 =>
  type === 0 || type === 1 || type === 2 || type === 3 || type === 4 || type === 5
