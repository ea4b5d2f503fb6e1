const { scenario } = require("./scenario.cjs")
const [, , url, secret] = process.argv

scenario(require("@saldo/client"), require("@saldo/client/webhooks"), url, secret).then((result) =>
  console.log(JSON.stringify(result))
)
