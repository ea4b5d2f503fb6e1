/** Sells, reads and fails against a live service. Runs unchanged in every runtime that the package supports. */
exports.scenario = async ({ createClient, isSaldoError }, { verificarWebhook }, url, apiSecret) => {
  const saldo = createClient({ url, apiKey: "todo", apiSecret })
  const sold = await saldo.vender({ service_id: 1, identifier: "8095551239", amount: 50 })
  const { xid } = await saldo.transacciones.ver.query({ id: sold.transaction_id })
  const listed = []
  for await (const each of saldo.transaccionesTodas({ identifier: "8095551239" })) listed.push(each.xid)
  const refused = await saldo.recargas.crear.mutate({ service_id: 1, identifier: "8095551230", amount: 50 }).catch(
    (error) => (isSaldoError(error) ? [error.code, error.details.status] : [])
  )
  const pdf = await saldo.reciboPdf(sold.transaction_id)
  const unsigned = await verificarWebhook("{}", {}, "whsec_AAAA").catch(({ reason }) => reason)
  return {
    status: sold.status,
    isListed: xid === sold.xid && listed.includes(xid),
    refused,
    file: String.fromCharCode(...pdf.subarray(0, 5)),
    unsigned
  }
}
