import assert from "node:assert/strict"
import { test } from "node:test"
import { memberOf } from "../../testing/formats/test-read.ts"
import { dayInInformation, logDay } from "./log-day.ts"
import { writtenDay } from "./written-day.ts"

const latest = Date.UTC(2026, 10, 16)

test("a day is read as people and programs write it", () => {
  for (const [text, day] of [
    ["2023-05-12T10:11:12.123", "2023-05-12"],
    ["2023/5/2 10:11:12", "2023-05-02"],
    ["2021.02.11 - 12:31:33 GMT", "2021-02-11"],
    ["12.05.2023 10:11:12", "2023-05-12"],
    ["5/12/2023 10:11:12 AM", "2023-05-12"],
    ["5/12/2023 10:11:12", "2023-12-05"],
    ["5/22/2023 10:11:12", "2023-05-22"],
    ["22/10/2022 14:10:02", "2022-10-22"],
    ["Sat Oct 22 12:10:11 2022", "2022-10-22"],
    ["22 October 2022", "2022-10-22"],
    ["Oct 2, 2022", "2022-10-02"],
    ["DE[0A1B2C3D] [2023_05_12T10_11_12]", "2023-05-12"],
    ["US_192.0.2.7_20230512", "2023-05-12"],
    ["20230512T101112", "2023-05-12"],
  ] as const) {
    assert.equal(writtenDay(text, latest), day, text)
  }
})

test("what is no day, cannot be one or has not come is none", () => {
  for (const text of [
    "",
    "US_192.0.2.7",
    "0A202305121B2C3D4E5F",
    "2023-02-30",
    "1985-01-01",
    "2031-01-01",
    "31.31.2023",
    "build 1.2.3",
    "12:10:11",
  ]) {
    assert.equal(writtenDay(text, latest), null, text)
  }
})

test("the facts of a machine date its log, as the common families write them", () => {
  for (const [text, day] of [
    ["Build ID: x\r\nIP: 192.0.2.7\r\nLog date: 12.05.2023 10:11:12\r\n", "2023-05-12"],
    ["Version: 55.3\n\nDate: Sat Oct 22 12:10:11 2022\nMachineID: 1\n", "2022-10-22"],
    ["System Summary:\n\t- HWID: 20200101\n\t- Local Time: 2023/5/22 10:11:12\n", "2023-05-22"],
    ["- OS Version: Windows 11\n- Local Date: 17.11.2024 01:11:12\n", "2024-11-17"],
    ["Build compiled on 2019-01-01\nLaunched at: 2021.02.11 - 12:31:33 GMT\n", "2021-02-11"],
    ["Install Date: 01.01.2019\nSystem Language: English\n", null],
    ["Date: soon\nLocal Time: 2023-05-22 10:00\n", "2023-05-22"],
  ] as const) {
    assert.equal(dayInInformation(text, latest), day, text)
  }
})

test("facts come before names of folders, the nearest of these first, and only passwords have a log", async () => {
  const inUtf16 = Buffer.from("\ufeffDate: 22.10.2022\r\n", "utf16le")
  const member = (name: string, facts: Buffer | null) => ({
    ...memberOf(name, Buffer.alloc(0)),
    information: facts === null ? null : memberOf("", facts).bytes,
  })
  const name = "posted 2024-01-01/DE_2023-05-12/Chrome/Passwords.txt"
  assert.equal(await logDay(member(name, inUtf16), latest), "2022-10-22")
  assert.equal(await logDay(member(name, Buffer.from("nothing")), latest), "2023-05-12")
  assert.equal(await logDay(member(name, null), latest), "2023-05-12")
  assert.equal(await logDay(member("2024-01-01/combo.txt", null), latest), null)
  assert.equal(await logDay(member("Passwords.txt", null), latest), null)
})
