// An invalid request never reaches the node. "->" is a message to the service, "<-" is the service's whole answer, and
// "=>" is a call that the node got in between.

-> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}
=> eth_chainId []
<- {"jsonrpc":"2.0","id":1,"result":"0x7a69"}

// An answer has the id of the request, unchanged.
-> {"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId"}
=> eth_chainId []
<- {"jsonrpc":"2.0","id":12345678901234567890,"result":"0x7a69"}
-> {"id":"a\u0062\"","method":"eth_chainId","jsonrpc":"2.0","extra":{}}
=> eth_chainId []
<- {"jsonrpc":"2.0","id":"a\u0062\"","result":"0x7a69"}
-> {"jsonrpc":"2.0","id":null,"method":"eth_chainId"}
=> eth_chainId []
<- {"jsonrpc":"2.0","id":null,"result":"0x7a69"}

// Invalid JSON.
-> {"jsonrpc":"2.0","id":1,
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
-> nonsense
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}

// Valid JSON that is not a request.
-> 1
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
-> null
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
-> {"id":2,"method":"eth_chainId"}
<- {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"invalid request"}}
-> {"jsonrpc":"1.0","id":2,"method":"eth_chainId"}
<- {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"invalid request"}}
-> {"jsonrpc":"2.0","id":{},"method":"eth_chainId"}
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
-> {"jsonrpc":"2.0","id":[1],"method":"eth_chainId"}
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
-> {"jsonrpc":"2.0","id":3,"method":7}
<- {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request"}}
-> {"jsonrpc":"2.0","id":3,"method":"eth_chainId","params":"0x1"}
<- {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request"}}

// A method that does not exist, and a method whose name must not be repeated unchanged.
-> {"jsonrpc":"2.0","id":4,"method":"eth_mine"}
<- {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"the method eth_mine does not exist/is not available"}}
-> {"jsonrpc":"2.0","id":4,"method":"toString"}
<- {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"the method toString does not exist/is not available"}}
-> {"jsonrpc":"2.0","id":4,"method":"<script>\u001b[31m\n"}
<- {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"the method ?script???31m? does not exist/is not available"}}
-> {"jsonrpc":"2.0","id":4,"method":"eth_0123456789012345678901234567890123456789012345678901234567890123456789"}
<- {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"the method eth_012345678901234567890123456789012345678901234567890123456789... does not exist/is not available"}}

// A notification is executed, and not answered.
-> {"jsonrpc":"2.0","method":"eth_chainId"}
=> eth_chainId []
-> {"jsonrpc":"2.0","method":"eth_mine"}
