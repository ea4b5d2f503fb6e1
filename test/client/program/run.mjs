import * as client from "@saldo/client"
import * as webhooks from "@saldo/client/webhooks"
import { scenario } from "./scenario.cjs"

const [, , url, secret] = process.argv
console.log(JSON.stringify(await scenario(client, webhooks, url, secret)))
