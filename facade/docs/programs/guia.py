# paso: preparar
import json, os, time, urllib.error, urllib.parse, urllib.request, uuid

SALDO = os.environ.get("SALDO", "http://127.0.0.1:3000")
TOKEN = os.environ["TOKEN"]  # <api_key>.<api_secret>
PAUSA_S = float(os.environ.get("PAUSA_S", "10"))


def llamar(metodo, ruta, cuerpo=None, clave=None):
    """Devuelve el estado HTTP, las cabeceras y los bytes. Sin respuesta, lanza OSError."""
    cabeceras = {"Authorization": f"Bearer {TOKEN}"}
    if cuerpo is not None:
        cabeceras["Content-Type"] = "application/json"
    if clave is not None:
        cabeceras["Idempotency-Key"] = clave
    datos = None if cuerpo is None else json.dumps(cuerpo).encode()
    pedido = urllib.request.Request(SALDO + ruta, datos, cabeceras, method=metodo)
    try:
        respuesta = urllib.request.urlopen(pedido, timeout=60)
    except urllib.error.HTTPError as error:
        respuesta = error
    with respuesta:
        return respuesta.status, respuesta.headers, respuesta.read()


def leer(respuesta):
    sobre = json.loads(respuesta[2])
    if "error" in sobre:
        error = sobre["error"]
        raise RuntimeError(f"{error['code']} {error.get('details', {})} (request_id {sobre['request_id']})")
    return sobre["data"]


def pedir(*pedido):
    return leer(llamar(*pedido))


# paso: cuenta
print("ambiente:", pedir("GET", "/v1/cuenta")["ambiente"])

# paso: saldo
print("disponible:", pedir("GET", "/v1/saldo")["saldo_disponible"])

# paso: catalogo
servicios = pedir("GET", "/v1/servicios")
servicio = next(cada["id"] for cada in servicios if cada["flujo"] == "monto_libre")
print("servicio:", servicio)

# paso: vender
clave = str(uuid.uuid4())  # guárdela junto al pedido, antes de llamar
pedido = {"service_id": servicio, "identifier": "8095551234", "amount": 100, "terminal_id": "caja-1"}
venta = pedir("POST", "/v1/recargas", pedido, clave)
print("venta:", venta["status"])


# paso: repetir
def es_repetible(estado, cuerpo):
    if estado >= 500 or estado == 429:
        return True
    return estado == 409 and json.loads(cuerpo)["error"]["code"] == "IDEMPOTENT_REQUEST_IN_PROGRESS"


def vender(pedido, clave):
    """Repite con la misma clave y el mismo cuerpo, así que no se cobra dos veces."""
    for intento in range(1, 6):
        pausa_s = 1
        try:
            respuesta = llamar("POST", "/v1/recargas", pedido, clave)
            if not es_repetible(respuesta[0], respuesta[2]) or intento == 5:
                return respuesta
            pausa_s = int(respuesta[1].get("Retry-After", "1"))
        except OSError:  # sin respuesta
            if intento == 5:
                raise
        time.sleep(pausa_s)


print("repetida:", vender(pedido, clave)[1]["Idempotent-Replay"])

# paso: pendiente
estado_http, cabeceras, _ = vender({**pedido, "identifier": "8095551232"}, str(uuid.uuid4()))
print("estado HTTP:", estado_http)
estado = "PENDING"
for _ in range(12):
    if estado_http != 202 or estado != "PENDING":
        break
    time.sleep(PAUSA_S)
    estado = pedir("GET", cabeceras["Location"])["status"]
print("pendiente:", estado)

# paso: error
estado_http, _, cuerpo = llamar("POST", "/v1/recargas", {**pedido, "amount": -1}, str(uuid.uuid4()))
print("error:", estado_http, json.loads(cuerpo)["error"]["code"])

# paso: comprobante
comprobante = pedir("GET", f"/v1/transacciones/{venta['transaction_id']}/recibo")
_, cabeceras, pdf = llamar("GET", f"/v1/transacciones/{venta['transaction_id']}/recibo?formato=pdf")
with open("comprobante.pdf", "wb") as archivo:
    archivo.write(pdf)
mismo = comprobante["transaction_id"] == venta["transaction_id"]
print("comprobante:", json.dumps(mismo), cabeceras["Content-Type"])

# paso: anular
anulable = next(cada["id"] for cada in servicios if cada["acepta_anulacion"])
errada = leer(vender({"service_id": anulable, "identifier": "204510003", "amount": 100}, str(uuid.uuid4())))
anulacion = pedir("POST", f"/v1/transacciones/{errada['transaction_id']}/anular", None, str(uuid.uuid4()))
print("anulacion:", anulacion["status"])

# paso: seguro
service_id = pedir("GET", "/v1/seguros")["servicios"][0]["service_id"]
propietario = {"cedula": "00112345678", "telefono": "8095551234", "placa": "A123458"}
seguro = f"/v1/seguros/{pedir('POST', '/v1/seguros', {'service_id': service_id, **propietario})['seguro_id']}"
versiones = pedir("POST", f"{seguro}/otp/verificar", {"codigo": "123456"})["versiones"]  # el código del SMS
version = versiones[0]["id"]
planes = pedir("GET", f"{seguro}/planes?version={urllib.parse.quote(version)}")["planes"]
pedir("POST", f"{seguro}/plan", {"version": version, "cd_tipo_plan": planes[0]["cd_tipo_plan"]})
opcion_id = pedir("POST", f"{seguro}/cotizar", {"incluye_grua": True})["opcion_id"]
poliza = {"service_id": service_id, "identifier": propietario["placa"], "opcion_id": opcion_id}
print("poliza:", leer(vender(poliza, str(uuid.uuid4())))["status"])
with open("poliza.pdf", "wb") as archivo:
    archivo.write(llamar("GET", f"{seguro}/documento?tipo=poliza")[2])

# paso: webhook
aviso = {
    "url": os.environ.get("RECEPTOR", "https://tienda.example.com/saldo"),
    "eventos": ["transaction.succeeded"],
}
webhook = pedir("POST", "/v1/webhooks", aviso)
print("webhook:", webhook["estado"])  # guarde webhook["secreto"]: no se vuelve a mostrar

# paso: limites
print("limite:", llamar("GET", "/v1/saldo")[1]["X-RateLimit-Limit"])
