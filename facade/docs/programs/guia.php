<?php
// paso: preparar
$saldo = getenv('SALDO') ?: 'http://127.0.0.1:3000';
$token = getenv('TOKEN'); // <api_key>.<api_secret>
$pausa_s = getenv('PAUSA_S') === false ? 10 : (int) getenv('PAUSA_S');

/** Devuelve el estado HTTP, las cabeceras en minúsculas y el cuerpo. Sin respuesta, el estado es 0. */
function llamar(string $metodo, string $ruta, ?array $cuerpo = null, ?string $clave = null): array
{
    global $saldo, $token;
    $cabeceras = ["Authorization: Bearer $token"];
    if ($cuerpo !== null) $cabeceras[] = 'Content-Type: application/json';
    if ($clave !== null) $cabeceras[] = "Idempotency-Key: $clave";
    $opciones = ['method' => $metodo, 'header' => $cabeceras, 'ignore_errors' => true, 'timeout' => 60];
    if ($cuerpo !== null) $opciones['content'] = json_encode($cuerpo);
    $http_response_header = [];
    $texto = @file_get_contents($saldo . $ruta, false, stream_context_create(['http' => $opciones]));
    if ($texto === false) return [0, [], ''];
    $recibidas = [];
    foreach (array_slice($http_response_header, 1) as $linea) {
        [$nombre, $valor] = explode(':', $linea, 2);
        $recibidas[strtolower($nombre)] = trim($valor);
    }
    return [(int) explode(' ', $http_response_header[0])[1], $recibidas, $texto];
}

function leer(array $respuesta): array
{
    $sobre = json_decode($respuesta[2], true);
    if (!isset($sobre['error'])) return $sobre['data'];
    $error = $sobre['error'];
    throw new RuntimeException("{$error['code']} (request_id {$sobre['request_id']})");
}

function pedir(...$pedido): array
{
    return leer(llamar(...$pedido));
}

function nueva_clave(): string
{
    return bin2hex(random_bytes(16));
}

// paso: cuenta
echo 'ambiente: ', pedir('GET', '/v1/cuenta')['ambiente'], "\n";

// paso: saldo
echo 'disponible: ', pedir('GET', '/v1/saldo')['saldo_disponible'], "\n";

// paso: catalogo
$servicios = pedir('GET', '/v1/servicios');
$libres = array_filter($servicios, fn ($cada) => $cada['flujo'] === 'monto_libre');
$servicio = reset($libres)['id'];
echo 'servicio: ', $servicio, "\n";

// paso: vender
$clave = nueva_clave(); // guárdela junto al pedido, antes de llamar
$pedido = ['service_id' => $servicio, 'identifier' => '8095551234', 'amount' => 100, 'terminal_id' => 'caja-1'];
$venta = pedir('POST', '/v1/recargas', $pedido, $clave);
echo 'venta: ', $venta['status'], "\n";

// paso: repetir
/** Repite con la misma clave y el mismo cuerpo, así que no se cobra dos veces. */
function vender(array $pedido, string $clave): array
{
    for ($intento = 1; ; $intento++) {
        $respuesta = llamar('POST', '/v1/recargas', $pedido, $clave);
        [$estado, $cabeceras, $cuerpo] = $respuesta;
        $codigo = json_decode($cuerpo, true)['error']['code'] ?? null;
        $repetible = $estado === 0 || $estado >= 500 || $estado === 429 || $codigo === 'IDEMPOTENT_REQUEST_IN_PROGRESS';
        if (!$repetible || $intento === 5) return $respuesta;
        sleep((int) ($cabeceras['retry-after'] ?? 1));
    }
}

echo 'repetida: ', vender($pedido, $clave)[1]['idempotent-replay'], "\n";

// paso: pendiente
[$estado_http, $cabeceras] = vender(['identifier' => '8095551232'] + $pedido, nueva_clave());
echo 'estado HTTP: ', $estado_http, "\n";
$estado = 'PENDING';
for ($vez = 1; $estado_http === 202 && $estado === 'PENDING' && $vez <= 12; $vez++) {
    sleep($pausa_s);
    $estado = pedir('GET', $cabeceras['location'])['status'];
}
echo 'pendiente: ', $estado, "\n";

// paso: error
[$estado_http, , $cuerpo] = llamar('POST', '/v1/recargas', ['amount' => -1] + $pedido, nueva_clave());
echo 'error: ', $estado_http, ' ', json_decode($cuerpo, true)['error']['code'], "\n";

// paso: comprobante
$comprobante = pedir('GET', "/v1/transacciones/{$venta['transaction_id']}/recibo");
[, $cabeceras, $pdf] = llamar('GET', "/v1/transacciones/{$venta['transaction_id']}/recibo?formato=pdf");
file_put_contents('comprobante.pdf', $pdf);
$mismo = $comprobante['transaction_id'] === $venta['transaction_id'];
echo 'comprobante: ', json_encode($mismo), ' ', $cabeceras['content-type'], "\n";

// paso: anular
$anulables = array_filter($servicios, fn ($cada) => $cada['acepta_anulacion']);
$apuesta = ['service_id' => reset($anulables)['id'], 'identifier' => '204510003', 'amount' => 100];
$errada = leer(vender($apuesta, nueva_clave()));
$anulacion = pedir('POST', "/v1/transacciones/{$errada['transaction_id']}/anular", null, nueva_clave());
echo 'anulacion: ', $anulacion['status'], "\n";

// paso: seguro
$service_id = pedir('GET', '/v1/seguros')['servicios'][0]['service_id'];
$propietario = ['cedula' => '00112345678', 'telefono' => '8095551234', 'placa' => 'A123458'];
$seguro = '/v1/seguros/' . pedir('POST', '/v1/seguros', ['service_id' => $service_id] + $propietario)['seguro_id'];
$version = pedir('POST', "$seguro/otp/verificar", ['codigo' => '123456'])['versiones'][0]['id']; // el código del SMS
$plan = pedir('GET', "$seguro/planes?version=" . rawurlencode($version))['planes'][0]['cd_tipo_plan'];
pedir('POST', "$seguro/plan", ['version' => $version, 'cd_tipo_plan' => $plan]);
$opcion_id = pedir('POST', "$seguro/cotizar", ['incluye_grua' => true])['opcion_id'];
$poliza = ['service_id' => $service_id, 'identifier' => $propietario['placa'], 'opcion_id' => $opcion_id];
echo 'poliza: ', leer(vender($poliza, nueva_clave()))['status'], "\n";
file_put_contents('poliza.pdf', llamar('GET', "$seguro/documento?tipo=poliza")[2]);

// paso: webhook
$aviso = ['url' => getenv('RECEPTOR') ?: 'https://tienda.example.com/saldo', 'eventos' => ['transaction.succeeded']];
$webhook = pedir('POST', '/v1/webhooks', $aviso);
echo 'webhook: ', $webhook['estado'], "\n"; // guarde $webhook['secreto']: no se vuelve a mostrar

// paso: limites
echo 'limite: ', llamar('GET', '/v1/saldo')[1]['x-ratelimit-limit'], "\n";
